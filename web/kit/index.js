// The custom elements <enroll-loop> and <enroll-proof>; define.js gives them their tags. Plain JavaScript, because a custom
// element has to be a JavaScript class; everything else is Rust, loaded when a widget comes near the screen. One
// WebAssembly instance serves all widgets.

const VERSION = "0.1.0";
const live = new Map(); // mounted elements, and the edition of each: a panic takes down all of an edition
let fail; // (element, code, message); set by the class, so that it is no method of the element
let complete; // gives a class its properties and methods
const loading = {}; // by edition

// Two editions of the same widgets: "web", and "lab", which can also switch patterns off, and is half again as large.
function load(edition) {
  return (loading[edition] ??= start(edition).catch((error) => {
    loading[edition] = undefined; // so that a later try can succeed
    throw error;
  }));
}

async function start(edition) {
  const [glue, response] = await (edition === "lab" ? fetchLab() : fetchWeb());
  // A release build makes instances (instance.js). A development build is one, and after a panic the page has to be loaded again.
  const wasm = glue.instance?.((error) => trapped(edition, error)) ?? glue;
  await wasm.default({ module_or_path: response });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(wasm.stylesheet());
  return { wasm, sheet };
}

const fetchWeb = () =>
  Promise.all([import("./enroll-once-web.js"), fetch(new URL("enroll-once-web_bg.wasm", import.meta.url))]);

const fetchLab = () =>
  Promise.all([import("./enroll-once-lab.js"), fetch(new URL("enroll-once-lab_bg.wasm", import.meta.url))]);

/** The lab's functions, for those who draw their own picture; api.js has them one by one. */
export const lab = async () => (await load("lab")).wasm;

// Nothing enters the instance any more; the next load() makes another.
function trapped(edition, error) {
  loading[edition] = undefined;
  console.error(error);
  for (const [element, its] of live) if (its === edition) queueMicrotask(() => fail(element, "panic", String(error)));
}

// Browsers have no error classes for these two.
function code(message) {
  if (/unsafe-eval|Content Security|CSP/.test(message)) return "csp";
  if (/\bimport (#|object|\w+:)/i.test(message)) return "version"; // the script and the WASM are of two builds
  return "load";
}

// On a server there are no elements, and the classes can be imported all the same.
class EnrollElement extends (globalThis.HTMLElement ?? Object) {
  static version = VERSION;
  #handle;
  #edition = "web";
  #missed; // what was not told on
  #watch;
  #own = {}; // properties that a script has set; they win over attributes, which are never written
  #seen; // the last snapshot
  #resolve;
  #ready = new Promise((resolve) => (this.#resolve = resolve));
  #states = this.attachInternals().states;

  static {
    fail = (element, code, message) => element.#fail(code, message);
    complete = (element, methods) => {
      for (const name of element.observedAttributes) {
        Object.defineProperty(element.prototype, camel(name), {
          get() {
            const value = this.#option(name);
            return name === "no-announce" ? value !== undefined : value;
          },
          set(value) {
            this.#own[name] = value;
            this.attributeChangedCallback(name);
          },
          configurable: true,
          enumerable: true,
        });
      }
      for (const what of methods) {
        element.prototype[what] = function (times = 1) {
          return this.#ready.then(() => this.#guard(() => this.#handle?.(what, String(times))));
        };
      }
    };
  }

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

  connectedCallback() {
    if (this.#handle || this.#watch || this.#states?.has("failed")) return;
    if (this.#option("loading") === "eager" || !("IntersectionObserver" in globalThis)) return void this.#mount();
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

  #option(name) {
    const own = this.#own[name];
    if (own !== undefined) return own === null || own === false ? undefined : own === true ? "" : String(own);
    return this.getAttribute(name) ?? undefined;
  }

  // In the order that Options::new expects.
  #options(given) {
    const names = ["story", "learner", "course", "queue", "runs", "no-announce"];
    return names.map((name) => given?.[name] ?? this.#option(name));
  }

  async #mount(given, focused) {
    this.#unwatch();
    const edition = this.#edition;
    try {
      const { wasm, sheet } = await load(edition);
      if (!this.isConnected || this.#handle) return;
      const root = Object.assign(document.createElement("div"), { dir: "ltr", lang: "en" }); // its words are
      root.onclick = ({ target }) => {
        const button = target.closest("button");
        if (button) this.#guard(() => this.#handle?.(button.part.value, button.value, true));
      };
      root.onkeydown = root.onkeyup = (event) => {
        // They press our buttons. A page that goes on at Space must not do both.
        if (event.key === " " || event.key === "Enter") event.stopPropagation();
      };
      this.shadowRoot.adoptedStyleSheets = [sheet];
      this.shadowRoot.replaceChildren(root);
      live.set(this, edition);
      this.#states?.delete("settled");
      // From the second frame on. What is there by then has not come from anywhere, and must not slide.
      requestAnimationFrame(() => requestAnimationFrame(() => this.#handle && this.#states?.add("settled")));
      const again = this.#states?.has("ready");
      const tell = (name, detail) => {
        if (edition !== this.#edition) return void (this.#missed = [name, detail]);
        if (focused && name === "enroll-ready") this.shadowRoot.querySelector(`[part=${focused}]`)?.focus({ preventScroll: true });
        this.#tell(again && name === "enroll-ready" ? "enroll-change" : name, detail);
      };
      this.#handle = wasm.mount(root, this.constructor.proof, this.#options(given), tell);
    } catch (error) {
      const message = String(error?.message ?? error);
      if (this.isConnected) this.#fail(code(message), message);
    }
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

  // Nothing of ours is thrown into the host's page. (A release build throws nothing here: its instance says that it is over.)
  #guard(run) {
    try {
      run();
    } catch (error) {
      trapped(this.#edition, error);
    }
  }

  // The story asks for what only the lab can do. Where there is none, the widget says so, and shows what it can.
  async #toLab(detail) {
    this.#edition = "lab"; // what the other one says from here on is nobody's business, unless it has to stay
    this.#missed = undefined;
    try {
      await load("lab");
      const handle = this.#handle;
      if (!handle) return; // it has been removed meanwhile
      const focused = this.shadowRoot.activeElement?.part.value;
      this.#handle = undefined;
      handle("destroy");
      this.#mount(undefined, focused);
    } catch {
      this.#edition = "web";
      this.#tell("enroll-error", { ...detail, code: "story" });
      if (this.#missed) this.#tell(...this.#missed);
    }
  }

  // The widget says so itself when it is ready, has changed, or did not understand an option.
  #tell(name, detail) {
    if (detail.code === "lab") return void this.#toLab(detail);
    if (name === "enroll-error") this.#states?.add("error");
    if (name === "enroll-ready") this.#states?.add("ready");
    if (detail.snapshot) {
      this.#seen = detail.snapshot;
      this.#toggle("done", this.#seen.canStep === false);
      this.#toggle("crashed", this.#seen.dead?.length > 0);
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
  #fail(code, message) {
    const focused = this.matches(":focus-within");
    live.delete(this);
    this.#handle = undefined;
    this.#states?.clear();
    this.#states?.add("failed");
    this.#states?.add("error");
    const shown = [document.createElement("slot")];
    const sheet = new CSSStyleSheet();
    if (code === "panic") {
      sheet.replaceSync("button{font:inherit;min-height:44px;padding:0 1em}");
      const again = document.createElement("button");
      again.type = "button";
      again.part = "reload";
      again.textContent = "The widget stopped. Start it again here";
      again.onclick = () => this.#reload();
      shown.push(again);
    }
    this.shadowRoot.adoptedStyleSheets = [sheet];
    this.shadowRoot.replaceChildren(...shown);
    if (focused) shown[1]?.focus();
    this.#dispatch("enroll-error", { code, message });
  }

  // Another instance, at the run so far.
  #reload() {
    const { story, deliveries = 0 } = this.#seen ?? {};
    this.#states?.clear();
    this.#mount({ story, runs: String(Math.min(deliveries, 1000)) });
  }
}

const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** One job through the loop. */
export class EnrollLoop extends EnrollElement {
  static observedAttributes = ["story", "learner", "course", "queue", "no-announce", "loading"];
  static proof = false;
  static {
    complete(this, ["step", "crash", "back", "reset"]);
  }
}

/** The same enroll, again and again. */
export class EnrollProof extends EnrollElement {
  static observedAttributes = ["runs", "learner", "course", "no-announce", "loading"];
  static proof = true;
  static {
    complete(this, ["run", "reset"]);
  }
}
