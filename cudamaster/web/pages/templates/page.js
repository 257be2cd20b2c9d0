function ready(part) {
  for (const button of part.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  let said = "copied";
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    getSelection().selectAllChildren(source);
    said = "selected: press Ctrl+C";
  }
  button.textContent = said;
  setTimeout(() => { button.textContent = "copy"; }, 2000);
}

ready(document);
