import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import { syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { type ReactNode, useEffect, useRef } from 'react'
import { changedRange } from '#shared/base/changed-range.ts'
import { languageOf, tokenStyles } from './load-highlighter.ts'
import { type MarkedLines, markedLines, showMarks } from './marked-lines.ts'

interface CodeEditorProps {
  /** The accessible name. */
  readonly label: string
  /** A file name or path. Its ending chooses the language. */
  readonly path: string
  readonly value: string
  /** The line that is brought into sight and selected, from 1. */
  readonly line?: number | null
  /** Absent for read-only text. */
  readonly onChange?: (value: string) => void
  /** Lines that stand out, each with a word above them. */
  readonly marks?: readonly MarkedLines[]
}

const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', fontSize: '12.5px', height: '100%' },
  '.cm-content': { fontFamily: 'var(--font-mono)', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', border: 'none' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '&.cm-focused .cm-cursor': { borderLeftColor: 'var(--text)' },
})

/** Edits code, or shows it read-only, in the colours of its language. */
export function CodeEditor({ label, path, value, line = null, onChange, marks }: CodeEditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const changed = useRef(onChange)
  const editable = onChange !== undefined

  useEffect(() => {
    changed.current = onChange
  })

  useEffect(() => {
    if (!host.current) return
    const language = new Compartment()
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({ extensions: [...basics(label, editable, changed), language.of([])] }),
    })
    view.current = editor
    // Code stays plain when its language cannot be fetched.
    void languageOf(path).then(
      (support) => support && editor.dispatch({ effects: language.reconfigure(support) }),
      () => undefined,
    )
    return () => {
      view.current = null
      editor.destroy()
    }
  }, [label, path, editable])

  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    // Only what differs is replaced, so that the caret stays where it is.
    const { from, oldEnd, newEnd } = changedRange(editor.state.doc.toString(), value)
    editor.dispatch({ changes: { from, to: oldEnd, insert: value.slice(from, newEnd) } })
  }, [value])

  useEffect(() => {
    if (marks) view.current?.dispatch({ effects: showMarks(marks) })
  }, [marks])

  useEffect(() => {
    const editor = view.current
    if (!editor || line === null || line > editor.state.doc.lines) return
    const { from, to } = editor.state.doc.line(line)
    editor.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    })
  }, [line])

  return <div ref={host} className="h-full min-h-24 overflow-auto" />
}

function basics(label: string, editable: boolean, changed: React.RefObject<CodeEditorProps['onChange']>): Extension[] {
  return [
    look,
    lineNumbers(),
    drawSelection(),
    history(),
    keymap.of([...standardKeymap, ...historyKeymap]),
    syntaxHighlighting(tokenStyles),
    markedLines,
    EditorView.contentAttributes.of({
      'aria-label': label,
      tabindex: '0',
      ...(!editable && { 'aria-readonly': 'true' }),
    }),
    EditorView.editable.of(editable),
    EditorState.readOnly.of(!editable),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) changed.current?.(update.state.doc.toString())
    }),
  ]
}
