// What the hero would be as plain JavaScript without a model: the states of the crash run as a table, and code that renders
// one. `cargo xtask bench --page` records the table and the stylesheet from the real widget (record.js), puts them here,
// and holds the two against each other at every state. Nothing else of the project is in it.

const STATES = [/* states */];
const STYLE = /* style */ "";

const text = (value) => value.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);
const list = (items, render) => items.map(render).join("");
// The queue's prefix is the same in every key, so it steps back.
const key = (value) => text(value).replace(/(^| )(emq:enroll:)/g, "$1<i>$2</i>");

const rail = (state) => {
  const stop = ([tone, name]) =>
    `<span role="listitem" class="stop ${tone}"${tone.startsWith("now") ? ' aria-current="step"' : ""}><b>${name}</b></span>`;
  const row = (stops, at) => `<div role="presentation" class="row${at ? " branch" : ""}">${list(stops, stop)}</div>`;
  return `<div role="list" aria-label="Stages of this run" class="rail">${list(state.rail, row)}</div>
    <div class="side"><p class="clock"><span class="hidden">virtual clock </span>${state.clock}</p></div>`;
};

const lock = ({ gone, owner, share, left }) =>
  gone
    ? `<p class="lock gone">no lock</p>`
    : `<p class="lock"><span>${owner}</span><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="8" class="whole"></rect><rect width="${share}" height="8" class="left"></rect></svg><span>${left}</span></p>`;

const job = (one) => `<li class="${one.tone}"><p class="first"><b class="id">${one.id}</b><span class="state">${one.state}</span></p>
  ${one.lock ? lock(one.lock) : ""}${list(one.marks, ([tone, what]) => `<p class="${tone}">${text(what)}</p>`)}
  <p class="soft">${one.title}</p></li>`;

const lane = ({ name, jobs }) => `<div role="group" aria-labelledby="${name}" part="${name}" class="lane ${name}">
  <h3 id="${name}"><i>emq:enroll:</i><b>${name}</b></h3>
  <ul>${jobs.length ? list(jobs, job) : `<li class="empty">empty</li>`}</ul></div>`;

const stage = (state) => `${list(state.lanes, lane)}
  <div role="group" aria-labelledby="enrolled" part="count" class="count"><h3 id="enrolled">enrolled</h3>
  <p class="number${state.enrolled === "0" ? "" : " green"}">${state.enrolled}</p><p class="soft">${state.deliveries}</p></div>`;

const worker = ({ tone, name, doing, belief }) => `<div class="${tone}"><dt>${name}</dt>
  <dd>${text(doing)}${belief ? ` <s><span class="hidden">no longer true: </span>${text(belief)}</s>` : ""}</dd></div>`;

const event = ([name, ...fields]) => `<li><b>${name}</b>${list(fields, (field) => `<span>${field}</span>`)}</li>`;

const under = (state) => `<dl class="of-wait"><div class="${state.marker.tone}"><dt>marker</dt><dd>${state.marker.text}</dd></div></dl>
  <dl class="of-active">${list(state.workers, worker)}
  <div class="suspects${state.suspects ? " violet" : ""}"><dt>suspects</dt><dd>${state.suspects ? `<code>${state.suspects}</code>` : "none"}</dd></div>
  <div><dt>sweep guard</dt><dd>${state.guard}</dd></div></dl>
  <dl class="of-log"><div><dt>Portal's log</dt><dd>${state.log.length ? `<ol>${list(state.log, event)}</ol>` : "no event"}</dd></div></dl>`;

const line = ([what, answer]) => `<li><code>${key(what)}</code>${answer ? `<em>${text(answer)}</em>` : ""}</li>`;
const commands = (lines) => (lines ? `<ol class="commands">${list(lines, line)}</ol>` : "");

const ran = ({ title, actor, lines, more, reply }) => `<h3 id="ran"><b>${title}</b> <span>${text(actor)}</span></h3>${commands(lines)}
  ${more ? `<details><summary>${more.summary}</summary>${commands(more.lines)}</details>` : ""}
  ${reply ? `<p class="reply">reply <code>${text(reply)}</code></p>` : ""}`;

// Lines are for those who read this file.
const html = (markup) => markup.replace(/\s*\n\s*/g, "");

class StandIn extends HTMLElement {
  #at = 0;

  connectedCallback() {
    const root = document.createElement("div");
    root.innerHTML = html(`<div role="group" aria-label="The enroll job, step by step" class="instrument">
      <div class="head"></div><div class="stage"></div><div class="under"></div>
      <div part="sentence" class="say"><p role="status" aria-atomic="true"></p><p class="meanwhile"></p></div>
      <div class="controls"><div class="buttons"><button type="button" part="step" class="main">step the job</button>
      <button type="button" part="crash" class="danger">crash mid-process</button>
      <span class="apart"><button type="button" part="back" class="plain">back</button>
      <button type="button" part="reset" class="plain">reset</button></span></div>
      <p id="why-not" class="why-not"></p><span id="at-start">This is where it opened.</span></div>
      <div role="group" aria-labelledby="ran" part="ran" class="ran"></div></div>`);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    const shadow = this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [sheet];
    shadow.append(root);
    root.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button && button.ariaDisabled !== "true") this.#press(button.part.value);
    });
    this.#render();
    this.attachInternals().states.add("ready");
    this.dispatchEvent(new CustomEvent("enroll-ready", { bubbles: true, composed: true }));
  }

  #press(what) {
    if (what === "reset") this.#at = 0;
    else if (what === "back") this.#at--;
    else if (what === STATES[this.#at].next) this.#at++;
    this.#render();
  }

  #render() {
    const state = STATES[this.#at];
    const part = (css) => this.shadowRoot.querySelector(css);
    part(".head").innerHTML = html(rail(state));
    part(".stage").innerHTML = html(stage(state));
    part(".under").innerHTML = html(under(state));
    part(".ran").innerHTML = html(ran(state.ran));
    part("[role=status]").textContent = state.sentence;
    part(".meanwhile").textContent = state.meanwhile;
    part(".why-not").textContent = state.whyNot;
    for (const button of this.shadowRoot.querySelectorAll("button")) {
      const name = button.part.value;
      const reason = state.off[name];
      if (reason) button.setAttribute("aria-disabled", "true");
      else button.removeAttribute("aria-disabled");
      if (reason) button.setAttribute("aria-describedby", reason);
      else button.removeAttribute("aria-describedby");
    }
  }
}

customElements.define("enroll-loop", StandIn);
