/** The data a person gave with a message: where the agent finds it, and what it is told about it. */
export interface InputNote {
  /** The virtual path below `/inputs/`. */
  readonly path: string
  /** Size and kind in a few words: `3 columns, 120 rows`. */
  readonly about: string
  /** Columns, fields or the beginning of the text; empty for nothing. */
  readonly detail: string
}

const start = 'Input data is in '

/** The part of a message that names an input. It follows the person's text. */
export function formatInputNote({ path, about, detail }: InputNote): string {
  return `\n\n${start}${path} (${about}).${detail === '' ? '' : ` ${detail}`}`
}

const note = /^(\S+) \(([^\n]*?)\)\.(?: |$)/

/** Splits a message into what the person typed and the inputs that came with it. */
export function splitInputNotes(message: string): { readonly text: string; readonly inputs: readonly InputNote[] } {
  const [text = '', ...parts] = message.split(`\n\n${start}`)
  const inputs = parts.map((part) => {
    const [head, path, about] = note.exec(part) ?? []
    return head && path && about !== undefined ? { path, about, detail: part.slice(head.length) } : null
  })
  const read = inputs.filter((input) => input !== null)
  // A part that is no note was typed by the person.
  return read.length === inputs.length ? { text, inputs: read } : { text: message, inputs: [] }
}
