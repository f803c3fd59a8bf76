"use strict";
// The search, the filter of the matrix, the meanings of steps, and the key that puts these away. Nothing is fetched: the index of the search is a script
// beside the pages, which is loaded when somebody first searches.
(() => {
  const root = document.body.dataset.root;
  const field = document.getElementById("q");
  const found = document.getElementById("found");
  const most = 30;
  let wanted = false;
  let prepared;

  function load() {
    if (wanted) return;
    wanted = true;
    const script = document.createElement("script");
    script.src = root + "assets/index.js";
    script.onload = search;
    document.head.append(script);
  }

  // A proposal and a requirement use other forms of a word, and now and then another word.
  const alike = { bump: "rais", delay: "late", abortable_error: "transaction_abortabl" };
  const plain = new Set("a an and are as at be by can do each for from has have if in into is it its may not of on or that the their them then they this to was we will with".split(" "));

  function stem(word) {
    const name = word.replace(/(?<=\w{4})(?:request|response)s?$/, "");
    const short = name.length > 5 ? name.replace(/(?:ing|ed|es|e|s)$/, "") : name.length > 3 ? name.replace(/s$/, "") : name;
    return alike[short] ?? short;
  }

  function stems(text) {
    const all = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
    const telling = all.filter((word) => !plain.has(word));
    return new Set((telling.length ? telling : all).map(stem));
  }

  // A word counts for more where fewer pages have it, in a title and in a short text; the last word may be a part of one, since it is still being typed.
  // A reader who types the heading of a proposal's section wants its requirements, in their order.
  function order(words) {
    prepared ??= window.fencepostIndex.map((entry) => ({ entry, title: stems(entry[0]), all: stems(entry[0] + " " + entry[3]), begins: [...stems(entry[3])] }));
    const last = words.length - 1;
    const has = ({ all }, word, place) => all.has(word) || (place === last && [...all].some((one) => one.startsWith(word)));
    const hits = words.map((word, place) => prepared.filter((page) => has(page, word, place)));
    const points = new Map(prepared.map((page) => [page, 0]));
    hits.forEach((pages, place) => {
      const worth = Math.log(1 + prepared.length / Math.max(pages.length, 30));
      for (const page of pages) points.set(page, points.get(page) + worth * (page.title.has(words[place]) ? 1.25 : 1));
    });
    const ranked = [];
    for (const [page, sum] of points) {
      const isHeading = last > 0 && words.every((word, place) => page.begins[place] === word);
      const share = page.entry[2] === "requirement" ? 1 : 0.7;
      if (sum) ranked.push([isHeading ? Infinity : share * sum ** 2 / Math.sqrt(1 + page.all.size / 30), page.entry]);
    }
    ranked.sort(([one], [other]) => (one === other ? 0 : other - one));
    const best = ranked.find(([rank]) => rank < Infinity)?.[0] ?? 0;
    return ranked.filter(([rank]) => rank > best / 4).map(([, entry]) => entry);
  }

  function search() {
    const words = [...stems(field.value)];
    found.hidden = words.length === 0;
    found.replaceChildren();
    if (words.length === 0 || !window.fencepostIndex) return;
    const ranked = order(words);
    const count = document.createElement("p");
    count.textContent = ranked.length + " found" + (ranked.length > most ? ", the first " + most + " are shown" : "");
    const list = document.createElement("ul");
    for (const [title, address, kind] of ranked.slice(0, most)) {
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
    if (event.key === "Escape") {
      document.body.classList.add("quietly");
      if (!found.hidden) {
        field.value = "";
        search();
        field.focus();
      }
    }
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
