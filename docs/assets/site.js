// What the theme leaves undone for screen readers and keyboards: each copy button is a landmark of its own, and
// tables that scroll cannot be reached.
const mend = () => {
  for (const own of document.querySelectorAll("nav.md-code__nav")) own.setAttribute("role", "none");
  for (const own of document.querySelectorAll(".md-typeset__scrollwrap"))
    if (own.scrollWidth > own.clientWidth) own.tabIndex = 0;
};
mend();
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
