// Files that leave the page: downloads only, nothing is sent.
export function download(name: string, content: Blob | string, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = document.createElement("a"), address = URL.createObjectURL(blob);
  link.href = address;
  link.download = name.replace(/[^\w.-]+/g, "_").slice(0, 80) || "bristle";
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
export const plain = (title: string): string => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "figure";
