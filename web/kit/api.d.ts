/** What was read of a story. */
export interface ParsedStory {
  /** Durations in milliseconds. */
  setup: {
    workers: number;
    lock: number;
    renew: number;
    stalled: number;
    maxStalled: number;
    drain: number;
    poll: number;
    attempts: number;
    /** The guards that are off. */
    off: Guard[];
  };
  /** As far as the story is good. */
  tokens: string[];
  /** What ended it. */
  problem: { message: string; token: string; index: number; character: number; expected: string } | null;
}

/** A pattern of the reliable loop. */
export type Guard =
  | "processing-list"
  | "lock"
  | "at-least-once"
  | "stalled-sweep"
  | "atomic-finish"
  | "blocking-pickup"
  | "idempotent-enroll";

/** A key of Redis as it stands after a step. */
export interface Key {
  key: string;
  type: "list" | "zset" | "set" | "hash" | "string" | "stream";
  /** Lists from head to tail, sets sorted, sorted sets as pairs of member and score. */
  value: unknown;
  /** Milliseconds to live; -1 when it does not expire. */
  pttl: number;
}

/** One atomic step of a run. */
export interface Step {
  /** Counts from 1. */
  n: number;
  /** What happened, as a token of the story. */
  action: string;
  /** Why it did not happen; then it is the last step, and nothing has changed. */
  refused: string | null;
  /** The virtual clock, in milliseconds. */
  now: number;
  /** The Redis commands, word by word. */
  commands: string[][];
  /** What the script answered. */
  reply: unknown;
  /** What came of it, a sentence each. */
  facts: string[];
  keys: Key[];
  workers: { id: string; state: string; job: string | null; token: string | null }[];
  enrolled: number;
  deliveries: number;
  /** The invariants that do not hold now. */
  broken: string[];
}

/** How a run ended, from good to bad. */
export type Verdict =
  | "exactly once in effect"
  | "busy"
  | "failed visibly"
  | "stuck"
  | "torn"
  | "lost"
  | "twice";

/** A run of the crash matrix. */
export interface Cell {
  verdict: Verdict;
  /** The run, from the beginning to the end. */
  story: string;
  enrolled: number;
  deliveries: number;
}

/** A form of the loop, and what becomes of one job in it. */
export interface Row {
  off: Guard[];
  /** The run without a crash. */
  calm: Cell;
  crashes: {
    /** The operation after which the worker dies. */
    after: string;
    /** The place in the program, the same for every form of the loop. */
    point: "slept" | "woken" | "taken" | "enrolled" | "unlocked" | "removed" | "finished";
    once: Cell;
    /** The worker that gets the job next dies here too; `null` where none gets as far. */
    twice: Cell | null;
  }[];
}

/** Reads a story. What is not understood is in `problem`; nothing is thrown for it. */
export function parse(story: string): Promise<ParsedStory>;
/** Runs a story, step by step. What cannot be read or cannot happen is the last step, with the reason. */
export function run(story: string): Promise<Step[]>;
/** What a crash at every point comes to, with every pattern in place, with each off, and with all off. */
export function matrix(): Promise<Row[]>;
