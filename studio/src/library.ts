// Scenarios inside the page: examples, and the figures of the papers.
export interface Example { name: string; title: string; text: string }
export interface Paper { name: string; title: string; authors: string; reference: string; figures: (Example & { caption: string })[] }
export interface Library { examples: Example[]; gallery: Paper[] }

export const library: Library = (() => {
  const empty: Library = { examples: [], gallery: [] };
  try {
    return { ...empty, ...(JSON.parse(document.getElementById("library")?.textContent ?? "{}") as Partial<Library>) };
  } catch {
    return empty;
  }
})();
