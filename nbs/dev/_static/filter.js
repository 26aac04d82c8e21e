(() => {
const KEYS = ["module", "status", "cause"];
function choice(name, values) {
  const label = document.createElement("label");
  const select = Object.assign(document.createElement("select"), {name});
  for (const value of ["", ...values]) select.append(new Option(value || "all", value));
  label.append(name, select);
  return [label, select];
}
function filter(table) {
  const heads = [...table.tHead.rows[0].cells].map(cell => cell.textContent.trim());
  if (!KEYS.every(key => heads.includes(key)) || table.tBodies[0].rows.length < 20) return;
  const rows = [...table.tBodies[0].rows];
  const text = (row, key) => row.cells[heads.indexOf(key)].textContent.trim();
  const form = Object.assign(document.createElement("form"), {className: "filter"});
  form.setAttribute("role", "search");
  table.classList.add("claims");
  const selects = KEYS.map(key => {
    const values = [...new Set(rows.map(row => text(row, key)))].filter(Boolean);
    const [label, select] = choice(key, values);
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
    let n = 0;
    for (const row of rows) {
      const fits = selects.every(s => !s.value || text(row, s.name) === s.value);
      row.hidden = !(fits && row.textContent.toLowerCase().includes(wanted));
      n += !row.hidden;
    }
    count.textContent = `${n} of ${rows.length} claims`;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", event => event.preventDefault());
  (table.closest(".pst-scrollable-table-container") ?? table).before(form);
  show();
}
document.addEventListener("DOMContentLoaded", () =>
  document.querySelectorAll("table").forEach(table => { if (table.tHead) filter(table); }));
})();
