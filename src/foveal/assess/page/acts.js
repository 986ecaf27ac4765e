// The acts of an assessor, each with its key and description.

/** [name, key, description]; buttons with data-act have the same names. */
export const ACTS = [
  ["highlight", "h", "Highlight the selection, or the sentence at the cursor"],
  ["unhighlight", "u", "Remove the highlight from it"],
  ["aspect", "t", "Name the aspect of the selection, or of the highlight at the cursor"],
  ["set-entry", "b", "Set the entry point at its beginning"],
  ["remove-entry", "Shift+b", "Remove the entry point"],
  ["next-sentence", "j", "Next sentence"],
  ["previous-sentence", "k", "Previous sentence"],
  ["next-paragraph", "Shift+j", "Next paragraph"],
  ["previous-paragraph", "Shift+k", "Previous paragraph"],
  ["extend", "e", "Extend the selection by a sentence"],
  ["shrink", "Shift+e", "Shrink the selection by a sentence"],
  ["undo", "Ctrl+z", "Undo"],
  ["redo", "Ctrl+Shift+z", "Redo"],
  ["finish", "f", "Finished with this document, or not yet"],
  ["nothing", "x", "Nothing relevant: finish and go on"],
  ["next", "n", "Next document"],
  ["previous", "Shift+n", "Previous document"],
  ["pool", "p", "Show or hide what systems returned"],
  ["keywords", "/", "Write keywords"],
  ["help", "?", "Show the keys"],
  ["drop", "Escape", "Drop the selection, close what is open"],
];

/** The acts that a campaign with these settings has. */
export function actsOf({ entry, show_pool: showsPool }) {
  return ACTS.filter(([name]) => {
    if (name === "pool") return showsPool;
    return entry !== "none" || !name.endsWith("-entry");
  });
}

/** The reason why a document cannot be finished yet; "" if it can. */
export function unfinished({ spans, entry }, settings) {
  if (settings.entry !== "required" || !spans.length || entry !== null) return "";
  return "set an entry point first (b): a relevant document needs one before it is finished";
}

/** "12 of 98, about 3 h left". */
export function progressText({ done, all, secondsLeft }) {
  const counts = `${done.toLocaleString("en")} of ${all.toLocaleString("en")}`;
  if (done === all) return all ? `${counts}, all finished` : "no documents yet";
  if (secondsLeft === null || !Number.isFinite(secondsLeft)) return counts;
  return `${counts}, about ${duration(secondsLeft)} left`;
}

function duration(seconds) {
  const minutes = seconds / 60;
  if (minutes >= 90) return `${Math.round(minutes / 60).toLocaleString("en")} h`;
  if (minutes >= 10) return `${5 * Math.round(minutes / 5)} min`;
  return `${Math.max(1, Math.round(minutes))} min`;
}
