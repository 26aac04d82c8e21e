document.addEventListener("DOMContentLoaded", () => {
  const each = (what, change) => document.querySelectorAll(what).forEach(change);
  each("summary[aria-label], .search-button-field[aria-label]", one => one.removeAttribute("aria-label"));
  each(".theme-switch-button", one => {
    one.setAttribute("title", one.getAttribute("aria-label"));
    one.removeAttribute("aria-label");
  });
  document.querySelector(".navbar-brand")?.parentElement.setAttribute("role", "banner");
  const reach = () => each(".bd-article table, .bd-article pre", box => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
  const fit = () => each("mjx-container[display=true]", box => {
    box.style.fontSize = "";
    const share = box.clientWidth/box.scrollWidth, size = parseFloat(getComputedStyle(box).fontSize);
    if (share < 1) box.style.fontSize = `${size*Math.max(.6, .98*share)}px`;
  });
  const both = () => { reach(); fit(); };
  addEventListener("resize", both);
  window.MathJax?.startup?.promise?.then(fit);
  addEventListener("load", () => window.MathJax?.startup?.promise?.then(fit));
  reach();
});
