(() => {
const KEYS = ["module", "status", "cause"];
function choice(name, values) {
  const label = document.createElement("label");
  const select = Object.assign(document.createElement("select"), {name});
  for (const value of ["", ...values]) select.append(new Option(value || "all", value));
  label.append(name, select);
  return [label, select];
}
// a cause that unfolds its explanation begins with the cause
const said = cell => (cell.querySelector("summary") ?? cell).textContent.trim();
function filter(items) {
  const rows = items.flatMap(item => {
    const table = item.querySelector("table");
    table.classList.add("claims");
    const heads = [...table.tHead.rows[0].cells].map(cell => cell.textContent.trim());
    return [...table.tBodies[0].rows].map(row => ({
      row, item, module: item.dataset.module, words: item.firstElementChild.textContent + " " + row.textContent,
      status: said(row.cells[heads.indexOf("status")]),
      cause: said(row.cells[heads.indexOf("cause")])}));
  });
  const form = Object.assign(document.createElement("form"), {className: "filter"});
  form.setAttribute("role", "search");
  const selects = KEYS.map(key => {
    const [label, select] = choice(key, [...new Set(rows.map(row => row[key]))].filter(Boolean));
    form.append(label);
    return select;
  });
  const label = document.createElement("label");
  const words = Object.assign(document.createElement("input"), {type: "search", name: "words"});
  const count = document.createElement("output");
  label.append("words", words);
  form.append(label, count);
  const asked = new URLSearchParams(location.search);
  for (const field of [...selects, words]) field.value = asked.get(field.name) ?? "";
  const show = () => {
    const wanted = words.value.toLowerCase();
    const all = !wanted && selects.every(s => !s.value);
    const shown = new Set();
    let n = 0;
    for (const one of rows) {
      const fits = selects.every(s => !s.value || one[s.name] === s.value) && one.words.toLowerCase().includes(wanted);
      one.row.hidden = !fits;
      if (fits) { shown.add(one.item); n += 1; }
    }
    for (const item of items) {
      item.hidden = !shown.has(item);
      item.open = !all && shown.size <= 12 && shown.has(item);
    }
    count.textContent = `${n} of ${rows.length} claims`;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", event => event.preventDefault());
  items[0].before(form);
  show();
  // a link to a claim unfolds the item that it belongs to
  const unfold = () => {
    const claim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const item = claim?.closest("details.item");
    if (!item) return;
    claim.closest("tr").hidden = item.hidden = false;
    item.open = true;
    claim.closest("tr").scrollIntoView({block: "center"});
  };
  addEventListener("hashchange", unfold);
  addEventListener("load", unfold);
}
document.addEventListener("DOMContentLoaded", () => {
  const items = [...document.querySelectorAll("details.item")].filter(item => item.querySelector("table"));
  if (items.length) filter(items);
});
})();
