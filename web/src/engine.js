// The worker of the page and the questions to it; a cancelled one is ended and a new one begins.

export class Engine {
  #worker = null;
  #waiting = new Map();
  #next = 0;
  #log = null;

  constructor(source) {
    this.url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  }

  #start() {
    this.#worker = new Worker(this.url);
    this.#worker.onmessage = ({ data: { id, value, error, progress } }) => {
      const waiting = this.#waiting.get(id);
      if (!waiting) return;
      if (progress !== undefined) {
        waiting.progress(progress);
        return;
      }
      this.#waiting.delete(id);
      if (error) waiting.reject(error);
      else waiting.resolve(value);
    };
    this.#worker.onerror = ({ message }) => {
      for (const { reject } of this.#waiting.values()) reject({ code: "", message });
      this.#waiting.clear();
    };
    if (this.#log) this.#post({ type: "open", log: this.#log });
  }

  #post(message, progress = () => {}) {
    if (!this.#worker) this.#start();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, progress });
      this.#worker.postMessage({ ...message, id });
    });
  }

  /** Read a file as a log, which later results are about. */
  async read(source, options, progress) {
    const log = await this.#post({ type: "read", source, options }, progress);
    this.#log = log;
    return log;
  }

  async open(log) {
    await this.#post({ type: "open", log });
    this.#log = log;
  }

  result(name, settings) {
    return this.#post({ type: "result", name, settings });
  }

  rates(groups, settings) {
    return this.#post({ type: "rates", groups, settings });
  }

  cancel() {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject({ code: "cancelled", message: "cancelled" });
    this.#waiting.clear();
  }
}
