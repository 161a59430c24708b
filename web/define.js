// Defines <enroll-loop> and <enroll-proof>. Plain JavaScript, because a custom element has to be a JavaScript class;
// everything else is Rust, loaded when a widget comes near the screen. One WebAssembly instance serves all widgets.

const VERSION = "0.1.0";
const live = new Set(); // mounted elements: a panic takes them all down together
let loading;

function load() {
  loading ??= (async () => {
    const wasm = await import(new URL("enroll-once-web.js", import.meta.url).href);
    await wasm.default();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(wasm.stylesheet());
    return { wasm, sheet };
  })();
  return loading.catch((error) => {
    loading = undefined; // so that a later try can succeed
    throw error;
  });
}

class EnrollElement extends HTMLElement {
  #handle;
  #watch;
  #own = {}; // properties that a script has set; they win over attributes, which are never written
  #resolve;
  #ready = new Promise((resolve) => (this.#resolve = resolve));
  #states = this.attachInternals().states;

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).append(document.createElement("slot"));
    for (const name of this.constructor.observedAttributes) {
      const key = camel(name);
      if (!Object.hasOwn(this, key)) continue; // set before the element was upgraded
      const early = this[key];
      delete this[key];
      this[key] = early;
    }
  }

  get ready() {
    return this.#ready;
  }

  get snapshot() {
    return this.#handle?.("snapshot");
  }

  option(name) {
    const own = this.#own[name];
    if (own !== undefined) return own === null || own === false ? undefined : own === true ? "" : String(own);
    return this.getAttribute(name) ?? undefined;
  }

  set(name, value) {
    this.#own[name] = value;
    this.attributeChangedCallback(name);
  }

  connectedCallback() {
    if (this.#handle || this.#watch) return;
    if (this.option("loading") === "eager" || !("IntersectionObserver" in globalThis)) return void this.#mount();
    this.#watch = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && this.#mount(),
      { rootMargin: "400px" },
    );
    this.#watch.observe(this);
  }

  // A move within the page is no removal; browsers with moveBefore() do not even report it as one.
  connectedMoveCallback() {}

  disconnectedCallback() {
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#unwatch();
      this.#unmount();
    });
  }

  attributeChangedCallback(name, before, now) {
    if (name === "loading" || !this.#handle || (now !== undefined && before === now)) return;
    this.#states?.delete("error"); // what is still wrong is reported again
    this.#guard(() => this.#handle("update", this.#options()));
  }

  async #mount() {
    this.#unwatch();
    try {
      const { wasm, sheet } = await load();
      if (!this.isConnected || this.#handle) return;
      const root = document.createElement("div");
      this.shadowRoot.adoptedStyleSheets = [sheet];
      this.shadowRoot.replaceChildren(root);
      this.#handle = wasm.mount(root, this.constructor.proof, this.#options(), (name, detail) => this.#tell(name, detail));
      live.add(this);
    } catch (error) {
      const csp = error instanceof WebAssembly.CompileError || /unsafe-eval|Content Security/i.test(error?.message);
      this.fail(csp ? "csp" : "load", String(error?.message ?? error));
    }
  }

  // In the order that Options::new expects.
  #options() {
    return ["story", "learner", "course", "queue", "runs", "no-announce"].map((name) => this.option(name));
  }

  #unwatch() {
    this.#watch?.disconnect();
    this.#watch = undefined;
  }

  #unmount() {
    live.delete(this);
    this.#states?.clear(); // an element that is added again begins anew, also one that could not load
    const handle = this.#handle;
    this.#handle = undefined;
    if (handle) this.#guard(() => handle("destroy"));
  }

  // Nothing of ours is thrown into the host's page.
  #guard(run) {
    try {
      run();
    } catch (error) {
      loading = undefined; // the instance is broken, for all its widgets
      for (const element of [...live]) element.fail("panic", String(error?.message ?? error));
    }
  }

  // The widget says so itself when it is ready, has changed, or did not understand an option.
  #tell(name, detail) {
    if (name === "enroll-error") this.#states?.add("error");
    if (name === "enroll-ready") this.#states?.add("ready");
    if (detail.snapshot) {
      const { canStep, dead } = detail.snapshot;
      this.#toggle("done", canStep === false);
      this.#toggle("crashed", dead?.length > 0);
    }
    // Not from inside the widget's own update: a listener may call its methods.
    queueMicrotask(() => {
      if (name === "enroll-ready") this.#resolve(this);
      this.#dispatch(name, detail);
    });
  }

  #dispatch(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }));
  }

  #toggle(state, on) {
    if (on) this.#states?.add(state);
    else this.#states?.delete(state);
  }

  // The readable fallback comes back, and one event says why.
  fail(code, message) {
    if (this.#states?.has("failed")) return;
    live.delete(this);
    this.#handle = undefined;
    this.#states?.add("failed");
    this.#states?.add("error");
    this.#states?.delete("ready");
    this.shadowRoot.adoptedStyleSheets = [];
    this.shadowRoot.replaceChildren(document.createElement("slot"));
    this.#dispatch("enroll-error", { code, message });
  }

  ask(what, times) {
    return this.#ready.then(() => this.#guard(() => this.#handle?.(what, times)));
  }
}

const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

class EnrollLoop extends EnrollElement {
  static observedAttributes = ["story", "learner", "course", "queue", "no-announce", "loading"];
  static proof = false;

  step() {
    return this.ask("step");
  }
  crash() {
    return this.ask("crash");
  }
  back() {
    return this.ask("back");
  }
  reset() {
    return this.ask("reset");
  }
}

class EnrollProof extends EnrollElement {
  static observedAttributes = ["runs", "learner", "course", "no-announce", "loading"];
  static proof = true;

  run(times = 1) {
    return this.ask("run", times);
  }
  reset() {
    return this.ask("reset");
  }
}

for (const [tag, element] of Object.entries({ "enroll-loop": EnrollLoop, "enroll-proof": EnrollProof })) {
  element.version = VERSION;
  for (const name of element.observedAttributes) {
    Object.defineProperty(element.prototype, camel(name), {
      get() {
        return this.option(name);
      },
      set(value) {
        this.set(name, value);
      },
      configurable: true,
      enumerable: true,
    });
  }
  const defined = customElements.get(tag);
  if (!defined) customElements.define(tag, element);
  else if (defined.version !== VERSION)
    console.warn(`enroll-once ${VERSION}: <${tag}> is defined already, by version ${defined.version ?? "unknown"}`);
}
