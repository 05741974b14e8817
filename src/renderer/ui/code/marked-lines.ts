import { type Range, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'

/** Lines of a text that stand out. */
export interface MarkedLines {
  /** Offsets into the text. With `from` equal to `to`, only the label is shown. */
  readonly from: number
  readonly to: number
  /** Stands above the lines. */
  readonly label: string
  /** The class of the lines and of the label. */
  readonly look: string
}

/** Replaces the marked lines. */
export const showMarks = (marks: readonly MarkedLines[]): StateEffect<readonly MarkedLines[]> => marksChange.of(marks)

const marksChange = StateEffect.define<readonly MarkedLines[]>()

/** The marked lines of an editor. They move with the text until they are replaced. */
export const markedLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(marksChange)) return decorate(transaction.state.doc, effect.value)
    }
    return decorations.map(transaction.changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

type Text = EditorView['state']['doc']

function decorate(doc: Text, marks: readonly MarkedLines[]): DecorationSet {
  const ranges: Range<Decoration>[] = []
  for (const { from, to, label, look } of marks) {
    const end = Math.min(to, doc.length)
    let line = doc.lineAt(Math.min(from, end))
    ranges.push(Decoration.widget({ widget: new LabelWidget(label, look), side: -1, block: true }).range(line.from))
    for (let isFirst = true; from < end && (isFirst || line.from < end); isFirst = false) {
      ranges.push(Decoration.line({ class: look }).range(line.from))
      if (line.to + 1 > doc.length) break
      line = doc.lineAt(line.to + 1)
    }
  }
  return Decoration.set(ranges, true)
}

class LabelWidget extends WidgetType {
  readonly #label: string
  readonly #look: string

  constructor(label: string, look: string) {
    super()
    this.#label = label
    this.#look = look
  }

  override eq(other: LabelWidget): boolean {
    return other.#label === this.#label && other.#look === this.#look
  }

  override toDOM(): HTMLElement {
    const label = document.createElement('div')
    label.className = `${this.#look} px-2 text-2xs text-muted font-sans leading-4`
    label.textContent = this.#label
    return label
  }
}
