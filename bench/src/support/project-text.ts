const filesInFolder = 50
const foldersInFolder = 40

/** Where a generated project has its file of this number, without a slash in front. */
export function pathOf(file: number): string {
  const folder = Math.floor(file / filesInFolder)
  return `area-${Math.floor(folder / foldersInFolder)}/part-${folder}/module-${file}.ts`
}

/** The first file of its folder. */
export function startsFolder(file: number): boolean {
  return file % filesInFolder === 0
}

const words = ['order', 'ledger', 'cursor', 'window', 'signal', 'reader', 'writer', 'parser', 'retry', 'timeout']

/** Lines that differ from each other and from file to file, cut to a length; always the same ones. */
export function textOf(file: number, bytes: number): string {
  const next = randomFrom(file)
  const word = () => words[next() % words.length] ?? ''
  let text = ''
  for (let line = 1; text.length < bytes; line += 1) {
    text += `export const ${word()}_${word()}_${line} = { file: ${file}, kind: '${word()}', weight: ${next() % 10_000} }\n`
  }
  return text.slice(0, bytes)
}

/** The text with one line replaced and one added, `part` of the way from its start. */
export function editedText(text: string, part: number, what: string): string {
  const lines = text.split('\n')
  lines.splice(Math.floor(lines.length * part), 1, `// ${what}`, `export const changed = '${what}'`)
  return lines.join('\n')
}

/** A linear congruential generator (Numerical Recipes): numbers from 0 to 65,535, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 16
  }
}
