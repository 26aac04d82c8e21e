(() => {
const here = document.currentScript.src;
function theme(div) {
  const clear = "rgba(0,0,0,0)";
  return {paper_bgcolor: clear, plot_bgcolor: clear, font: {color: getComputedStyle(div).color}};
}
function draw(div) {
  const picture = JSON.parse(div.querySelector("script").textContent);
  const {sliders: [slider], ...layout} = picture.layout;
  const words = div.querySelector("img").alt;
  const plot = document.createElement("div");
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", words);
  const label = document.createElement("label");
  const range = Object.assign(document.createElement("input"), {
    type: "range", min: 0, max: slider.steps.length - 1, step: 1, value: slider.active});
  const shown = document.createElement("output");
  const name = slider.currentvalue.prefix.replace(/ = $/, "");
  range.setAttribute("aria-label", name);
  label.append(name, range, shown);
  div.replaceChildren(label, plot);
  const show = () => {
    const frame = picture.frames[range.value];
    shown.textContent = frame.name;
    range.setAttribute("aria-valuetext", frame.name);
    Plotly.react(plot, frame.data, {...layout, ...frame.layout, ...theme(div)}, {displayModeBar: false,
      responsive: true});
  };
  range.addEventListener("input", show);
  new MutationObserver(show).observe(document.documentElement, {attributeFilter: ["data-theme"]});
  show();
}
document.addEventListener("DOMContentLoaded", () => {
  const found = document.querySelectorAll(".moving");
  if (!found.length) return;
  const plotly = document.createElement("script");
  plotly.src = new URL("plotly.min.js", here);
  plotly.onload = () => found.forEach(draw);
  document.head.append(plotly);
});
})();
