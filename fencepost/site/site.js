"use strict";
// The search, the filter of the matrix, the meanings of steps, and the key that puts these away. Nothing is fetched: the index of the search is a script
// beside the pages, which is loaded when somebody first searches.
(() => {
  const root = document.body.dataset.root;
  const field = document.getElementById("q");
  const found = document.getElementById("found");
  const most = 30;
  let wanted = false;

  function load() {
    if (wanted) return;
    wanted = true;
    const script = document.createElement("script");
    script.src = root + "assets/index.js";
    script.onload = search;
    document.head.append(script);
  }

  function rank(words, [title, , kind, text]) {
    const head = title.toLowerCase(), body = text.toLowerCase();
    let points = kind === "requirement" ? 1 : 0, hits = 0;
    for (const word of words) {
      const worth = head.startsWith(word) ? 8 : head.includes(word) ? 4 : body.includes(word) ? 2 : 0;
      points += worth;
      hits += worth > 0;
    }
    // A sentence of a proposal has words that a requirement leaves out: most of them are enough, and more of them come first.
    return hits * 3 < words.length * 2 ? 0 : 100 * hits + points;
  }

  function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.hidden = words.length === 0;
    found.replaceChildren();
    if (words.length === 0 || !window.fencepostIndex) return;
    const ranked = window.fencepostIndex.map((entry) => [rank(words, entry), entry]).filter(([points]) => points > 0);
    ranked.sort((one, other) => other[0] - one[0]);
    const count = document.createElement("p");
    count.textContent = ranked.length + " found" + (ranked.length > most ? ", the first " + most + " are shown" : "");
    const list = document.createElement("ul");
    for (const [, [title, address, kind]] of ranked.slice(0, most)) {
      const link = document.createElement("a");
      link.href = root + address;
      link.textContent = title;
      const item = document.createElement("li");
      item.append(link, " (" + kind + ")");
      list.append(item);
    }
    found.append(count, list);
  }

  // A page has each meaning once: it comes to the step that the pointer or the keyboard is at.
  function explain({ target }) {
    const step = target.closest(".steps li")?.querySelector("a[aria-describedby]");
    const meaning = step && document.getElementById(step.getAttribute("aria-describedby"));
    if (meaning && step.nextSibling !== meaning) step.after(meaning);
  }

  field.addEventListener("focus", load);
  field.addEventListener("input", () => { load(); search(); });
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = found.querySelector("a");
    if (first) first.click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.body.classList.add("quietly");
    if (event.key === "Tab") document.body.classList.remove("quietly");
    if (event.key === "/" && !event.target.closest("input, textarea")) {
      event.preventDefault();
      field.focus();
    }
  });
  document.addEventListener("pointerover", (event) => { document.body.classList.remove("quietly"); explain(event); });
  document.addEventListener("focusin", explain);
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    field.value = asked;
    load();
  }
  const only = document.getElementById("only");
  if (only) only.addEventListener("change", () => document.body.classList.toggle("only", only.checked));
})();
