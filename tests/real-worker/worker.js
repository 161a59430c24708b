// One real BullMQ process: a producer that adds a job, or a worker. Started by the test of real workers, which reads
// what it says (one JSON object per line) and may kill it at any moment.
//
//   node worker.js '{"bullmq":"<folder of the package>","port":6379,"role":"worker","name":"w1","hangs":true,...}'
'use strict';

const options = JSON.parse(process.argv[2]);
const { Queue, Scripts, Worker } = require(options.bullmq);
const Redis = require(require.resolve('ioredis', { paths: [options.bullmq] }));

const connection = { host: '127.0.0.1', port: options.port, maxRetriesPerRequest: null };
const shared = { connection, prefix: options.prefix };

/** Writing to a pipe is synchronous here: what was said is out even if the process is killed right after. */
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

// Every script call with its raw reply. Nothing else shows the replies: MONITOR has commands only.
const execCommand = Scripts.prototype.execCommand;
Scripts.prototype.execCommand = async function observed(client, script, args) {
  const reply = await execCommand.call(this, client, script, args);
  const hex = (arg) => (Buffer.isBuffer(arg) ? arg : Buffer.from(String(arg ?? ''))).toString('hex');
  say({ script, args: args.flat().map(hex), reply: reply ?? null });
  return reply;
};

/** The effect, twice: in a set, where a second time changes nothing; and in a list, where it does. */
async function enroll(job) {
  const redis = new Redis(connection);
  await redis.sadd(options.enrolled, job.data.learner);
  await redis.rpush(options.enrollments, job.data.learner);
  redis.disconnect();
}

async function produce() {
  const queue = new Queue(options.queue, shared);
  await queue.add('enroll', { learner: options.learner }, { jobId: 'j_1' });
  await queue.close();
  say({ did: 'add' });
}

function work() {
  const process = async (job) => {
    await enroll(job);
    say({ did: 'effect', job: job.id });
    if (options.hangs) await new Promise(() => {}); // this process will not get further
    return { enrolled: job.data.learner };
  };
  const worker = new Worker(options.queue, process, {
    ...shared,
    name: options.name,
    lockDuration: options.lockMs,
    stalledInterval: options.stalledMs,
    maxStalledCount: 1,
  });
  worker.on('completed', (job) => say({ did: 'completed', job: job.id }));
  worker.on('stalled', (id) => say({ did: 'recovered', job: id }));
  worker.on('error', (error) => say({ error: error.message }));
}

if (options.role === 'producer') produce();
else work();
