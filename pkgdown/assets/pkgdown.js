// In place of pkgdown's script, which needs six libraries from other servers: the list of what is
// on a page, and the search. Both work from a file: address as well.
"use strict";

const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

// On this page -----------------------------------------------------------------------------------

function listHeadings(place) {
  const list = make("ul", { className: "nav flex-column" });
  for (const heading of document.querySelectorAll("main h2[id], main h3[id]")) {
    const item = make("li", { className: "toc-" + heading.tagName.toLowerCase() });
    item.append(make("a", {
      className: "nav-link", href: "#" + heading.id, textContent: heading.textContent.trim()
    }));
    list.append(item);
  }
  if (list.children.length > 0) place.append(list);
  else place.hidden = true;
}

// Search -----------------------------------------------------------------------------------------

const shownAtMost = 12;

// Every word has to be somewhere in an entry. The name of a function counts most, then the title,
// the page's title, and the running text.
function score(entry, words) {
  let sum = 0;
  for (const word of words) {
    const title = entry.what.toLowerCase();
    if (entry.names.includes(word)) sum += 60;
    else if (entry.names.some((name) => name.startsWith(word))) sum += 30;
    else if (title.startsWith(word)) sum += 20;
    else if (title.includes(word)) sum += 10;
    else if (entry.title.toLowerCase().includes(word)) sum += 5;
    else if (entry.rest.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function find(index, query) {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word);
  if (words.length === 0) return [];
  return index.map((entry) => ({ entry, score: score(entry, words) }))
    .filter((found) => found.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, shownAtMost)
    .map((found) => found.entry);
}

function showFound(list, entries, root) {
  list.replaceChildren(...entries.map((entry) => {
    const link = make("a", { href: root + entry.path + (entry.id ? "#" + entry.id : "") });
    link.append(make("strong", { textContent: entry.what }));
    if (entry.title) link.append(make("small", { textContent: entry.title }));
    const item = make("li", {});
    item.append(link);
    return item;
  }));
  if (entries.length === 0) list.append(make("li", { textContent: "Nothing found" }));
}

// A script, as no page may read a .json file beside it from a file: address.
function loadIndex(root) {
  return new Promise((resolve, reject) => {
    document.head.append(make("script", {
      src: root + "search.js", onload: () => resolve(window.searchIndex), onerror: reject
    }));
  });
}

function prepareSearch(input) {
  const root = input.dataset.searchIndex.replace(/search\.json$/, "");
  const list = make("ul", { className: "search-found", hidden: true });
  input.after(list);
  let index;
  input.addEventListener("input", async () => {
    index = index || loadIndex(root);
    const entries = await index;
    list.hidden = input.value.trim() === "";
    showFound(list, find(entries, input.value), root);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") list.hidden = true;
    if (event.key !== "Enter") return;
    event.preventDefault();
    const first = list.querySelector("a");
    if (first && !list.hidden) first.click();
  });
}

const toc = document.getElementById("toc");
if (toc) listHeadings(toc);
const input = document.getElementById("search-input");
if (input) prepareSearch(input);
