const filesInFolder = 50
const foldersInFolder = 40

/** The path of a file of a generated project by its number, without a leading slash. */
export function pathOf(file: number): string {
  const folder = Math.floor(file / filesInFolder)
  return `area-${Math.floor(folder / foldersInFolder)}/part-${folder}/module-${file}.ts`
}

/** Whether the file is the first of its folder. */
export function startsFolder(file: number): boolean {
  return file % filesInFolder === 0
}

const words = ['order', 'ledger', 'cursor', 'window', 'signal', 'reader', 'writer', 'parser', 'retry', 'timeout']

/** Lines that differ from each other and between files, cut to `bytes`. The same file always has the same text. */
export function textOf(file: number, bytes: number): string {
  const next = randomFrom(file)
  const word = () => words[next() % words.length] ?? ''
  let text = ''
  for (let line = 1; text.length < bytes; line += 1) {
    text += `export const ${word()}_${word()}_${line} = { file: ${file}, kind: '${word()}', weight: ${next() % 10_000} }\n`
  }
  return text.slice(0, bytes)
}

/** Replaces one line of the text and adds one. `part` is the place in the text, from 0 to 1. */
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
