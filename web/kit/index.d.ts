/** An event of Portal's log. */
export interface LearnerEnrolled {
  user_id: string;
  course_id: string;
  /** On the virtual clock, in milliseconds. */
  at: number;
}

/** What `<enroll-loop>` shows. */
export interface LoopSnapshot {
  /** The run so far, as a story: what the attribute `story` takes. */
  story: string;
  /** How many presses led here. */
  at: number;
  /** The virtual clock. */
  nowMs: number;
  /** The milestone, in the widget's words. */
  stage: string;
  /** What has just happened, in a sentence. */
  sentence: string;
  enrolled: number;
  deliveries: number;
  /** The ids of the jobs in each list. */
  wait: string[];
  active: string[];
  completed: string[];
  failed: string[];
  /** The jobs that the last sweep marked. */
  suspects: string[];
  /** The workers that are dead. */
  dead: string[];
  /** Portal's log. */
  log: LearnerEnrolled[];
  canStep: boolean;
  canCrash: boolean;
  canGoBack: boolean;
}

/** What `<enroll-proof>` shows. */
export interface ProofSnapshot {
  enrolled: number;
  deliveries: number;
  /** Portal's log. */
  log: LearnerEnrolled[];
}

/** `detail` of `enroll-ready` and `enroll-change`. */
export interface EnrollChange<Snapshot> {
  /** A button, or a method, property or attribute. */
  source: "user" | "api";
  snapshot: Snapshot;
}

/** `detail` of `enroll-error`. */
export interface EnrollError {
  /**
   * The attribute that was not understood, and then the rest works; or why the fallback shows: `load` (the WebAssembly is not there or
   * not whole), `csp` (the page's policy forbids it), `version` (script and WebAssembly are of two builds), `panic`.
   */
  code: "story" | "learner" | "course" | "queue" | "runs" | "load" | "csp" | "version" | "panic";
  message: string;
}

/** The events, which bubble and are composed. */
export interface EnrollEvents<Snapshot> {
  "enroll-ready": CustomEvent<EnrollChange<Snapshot>>;
  "enroll-change": CustomEvent<EnrollChange<Snapshot>>;
  "enroll-error": CustomEvent<EnrollError>;
}

/** What both elements have. Each property reflects nothing: a property that is set wins over the attribute of its name. */
declare class EnrollElement<Snapshot> extends HTMLElement {
  static readonly version: string;
  /** Fulfilled with the element once its widget works. */
  readonly ready: Promise<this>;
  /** What there is to see now; nothing before the widget is ready. */
  readonly snapshot: Snapshot | undefined;
  /** `USR` and eleven letters or digits. */
  get learner(): string | undefined;
  set learner(value: string | null | undefined);
  /** `CRS` and eleven letters or digits. */
  get course(): string | undefined;
  set course(value: string | null | undefined);
  /** Leave out the live region. */
  get noAnnounce(): boolean;
  set noAnnounce(value: boolean | null | undefined);
  /** `lazy`, the default: when it comes near the screen. */
  get loading(): string | undefined;
  set loading(value: "lazy" | "eager" | null | undefined);
  /** To where it opened. */
  reset(): Promise<void>;

  addEventListener<K extends keyof EnrollEvents<Snapshot>>(
    type: K,
    listener: (this: this, event: EnrollEvents<Snapshot>[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<K extends keyof EnrollEvents<Snapshot>>(
    type: K,
    listener: (this: this, event: EnrollEvents<Snapshot>[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
}

/** One job through the loop. */
export declare class EnrollLoop extends EnrollElement<LoopSnapshot> {
  /** The run with which it opens, such as `add,step,step,step,crash`. */
  get story(): string | undefined;
  set story(value: string | null | undefined);
  /** 1 to 32 letters, digits, `_` or `-`. */
  get queue(): string | undefined;
  set queue(value: string | null | undefined);
  /** To the next milestone. */
  step(): Promise<void>;
  /** Kill the worker that is at work. */
  crash(): Promise<void>;
  /** One press back. */
  back(): Promise<void>;
}

/** The same enroll, again and again. */
export declare class EnrollProof extends EnrollElement<ProofSnapshot> {
  /** How many runs it opens with, from 0 to 1000. */
  get runs(): string | undefined;
  set runs(value: number | string | null | undefined);
  /** Run the job so many times more. */
  run(times?: number): Promise<void>;
}
