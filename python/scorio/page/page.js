for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const key = (row, i) => {
    const cell = row.cells[i], text = cell.dataset.key ?? cell.firstChild?.textContent.trim() ?? "";
    const x = parseFloat(text.replaceAll(",", ""));
    return cell.tagName === "TH" || Number.isNaN(x) ? text : x;
  };
  const order = (a, b) => typeof a === typeof b && typeof a === "number" ? a - b : String(a).localeCompare(String(b));
  heads.forEach((head, i) => {
    if (head.className === "drawn") return;
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
      heads.forEach(x => x.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up === 1 ? "ascending" : "descending");
      body.append(...[...body.rows].sort((a, b) => up * order(key(a, i), key(b, i))));
    });
  });
}
