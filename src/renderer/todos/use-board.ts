import { useEffect, useMemo, useRef, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { ThreadState } from '#shared/model/thread.ts'
import type { Todo, TodoStatus } from '#shared/model/todos/todo.ts'
import { editTodos, type TodoEdit } from '#shared/model/todos/todo-edit.ts'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import type { Refusal } from '../state/connection/refusal.ts'
import { useApp, useAppSlowly, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import type { AppState } from '../state/store/app-state.ts'
import { activeFamily, activeRoot } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import {
  type Arrow,
  type BoardCard,
  type BoardColumn,
  boardOf,
  cardAt,
  cardKey,
  type DropPlace,
  editForDrop,
  keepEqualCards,
  placeAfterKey,
  statusBetween,
} from './board.ts'
import { type EarlyPlans, restOf, shownPlan, withEdit } from './early-plans.ts'

const labels = strings.board

/** What a person can do with cards. Stays the same object, so that cards need not render again. */
export interface BoardActions {
  add(content: string, status: TodoStatus): Promise<boolean>
  /** Moves a card, or says why it may not go there. */
  drop(key: string, place: DropPlace): void
  /** Moves a card one place as an arrow key says, if there is such a place. */
  step(key: string, arrow: Arrow): void
  setStatus(key: string, status: TodoStatus): void
  remove(key: string): void
  /** Opens the text of a card for editing; null closes it. */
  startEditing(key: string | null): void
  rename(key: string, content: string): void
}

export interface Board {
  /** The root thread, whose plan is shown; null for a new thread. */
  readonly thread: ThreadState | null
  readonly columns: readonly BoardColumn[]
  readonly count: number
  readonly editing: string | null
  /** Why the last edit was not carried out; null if it was. */
  readonly refusal: Refusal | null
  /** For screen readers: where the last card was moved. */
  readonly announcement: string
  /** The card that takes the focus once it is shown. */
  readonly focusNext: { current: string | null }
  readonly actions: BoardActions
}

const none: readonly Todo[] = []

/** The plan of the open thread as columns, and the ways to change it. An edit is shown before the host answers. */
export function useBoard(): Board {
  const client = useClient()
  const projectId = useProjectId()
  const thread = useApp(activeRoot)
  const agents = useAppSlowly(useShallow(linkedAgents))
  const writing = useCommand()
  const offerUndo = useOfferUndo()
  const [editing, setEditing] = useState<string | null>(null)
  const [announcement, announce] = useState('')
  const [forbidden, setForbidden] = useState<{ readonly of: readonly Todo[]; readonly refusal: Refusal } | null>(null)
  const [early, setEarly] = useState<EarlyPlans | null>(null)
  const focusNext = useRef<string | null>(null)
  const stored = thread?.todos ?? none
  const todos = shownPlan(early, stored)
  useEffect(() => setEarly((on) => restOf(on, stored)), [stored])
  const columns = useColumns(todos, agents)

  async function send(edit: TodoEdit): Promise<boolean> {
    if (!thread) return false
    setForbidden(null)
    // Another edit may be on its way, whose result is shown already.
    const edited = editTodos(todos, edit)
    if (edited.ok) setEarly((on) => withEdit(on, stored, edited.value))
    const done = await writing.run(async () => {
      const { sequence } = await client.threads.editTodo({ projectId, threadId: thread.id, edit })
      if (edit.kind === 'remove') offerUndo(labels.removed(edit.card.content), sequence)
    })
    if (!done) setEarly(null)
    return done
  }

  function drop(key: string, place: DropPlace): void {
    const dropped = cardAt(columns, key)
    if (!dropped) return
    const via = statusBetween(dropped.status, place.status)
    if (via) {
      const message = labels.forbidden(dropped.content, dropped.status, place.status)
      setForbidden({ of: stored, refusal: { code: 'REFUSED', message, nextStep: labels.forbiddenStep(via) } })
      writing.clear()
      return
    }
    const edit = editForDrop(columns, key, place)
    if (!edit) return
    announce(describeMove(columns, dropped, place))
    void send(edit)
  }

  const now: BoardActions = {
    add: (content, status) => send({ kind: 'add', content, status }),
    drop,
    step(key, arrow) {
      const place = placeAfterKey(columns, key, arrow)
      focusNext.current = key
      if (place) drop(key, place)
    },
    setStatus: (key, status) => drop(key, { status, before: null }),
    remove(key) {
      const removed = cardAt(columns, key)
      if (!removed) return
      focusNext.current = neighbourOf(columns, removed)
      void send({ kind: 'remove', card: removed.card })
    },
    startEditing: setEditing,
    rename(key, content) {
      setEditing(null)
      const card = cardAt(columns, key)?.card
      const text = content.trim()
      focusNext.current = key
      if (!card || text === '' || text === card.content) return
      const same = columns.flatMap(({ cards }) => cards).filter((other) => other.content === text)
      focusNext.current = cardKey({ content: text, occurrence: same.length })
      void send({ kind: 'rename', card, content: text })
    },
  }
  return {
    thread,
    columns,
    count: todos.length,
    editing,
    refusal: forbidden?.of === stored ? forbidden.refusal : writing.refusal,
    announcement,
    focusNext,
    actions: useLatest(now),
  }
}

/** The plan as columns. A card that did not change stays the same object. */
function useColumns(todos: readonly Todo[], agents: readonly ThreadState[]): readonly BoardColumn[] {
  const latest = useRef<readonly BoardColumn[]>([])
  const columns = useMemo(() => keepEqualCards(latest.current, boardOf(todos, agents)), [todos, agents])
  useEffect(() => {
    latest.current = columns
  })
  return columns
}

/** The agents that work or worked on a todo. */
function linkedAgents(state: AppState): readonly ThreadState[] {
  return activeFamily(state).filter(({ parent, linkedTodo }) => parent !== null && linkedTodo !== null)
}

/** The same object for as long as the component lives, whose methods are always the latest ones. */
function useLatest(actions: BoardActions): BoardActions {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  return useMemo(
    () => ({
      add: (...given) => latest.current.add(...given),
      drop: (...given) => latest.current.drop(...given),
      step: (...given) => latest.current.step(...given),
      setStatus: (...given) => latest.current.setStatus(...given),
      remove: (...given) => latest.current.remove(...given),
      startEditing: (...given) => latest.current.startEditing(...given),
      rename: (...given) => latest.current.rename(...given),
    }),
    [],
  )
}

/** The card that takes the focus when a card leaves its column. */
function neighbourOf(columns: readonly BoardColumn[], { key, status }: BoardCard): string | null {
  const cards = columns.find((column) => column.status === status)?.cards ?? []
  const index = cards.findIndex((card) => card.key === key)
  return (cards[index + 1] ?? cards[index - 1])?.key ?? null
}

function describeMove(
  columns: readonly BoardColumn[],
  { key, content }: BoardCard,
  { status, before }: DropPlace,
): string {
  const others = (columns.find((column) => column.status === status)?.cards ?? []).filter((card) => card.key !== key)
  const index = others.findIndex((card) => card.key === before)
  return labels.moved(content, status, (index < 0 ? others.length : index) + 1, others.length + 1)
}
