import { type ReactNode, useMemo, useState } from 'react'
import { type Components, Virtuoso } from 'react-virtuoso'
import type { TodoStatus } from '#shared/model/todos/todo.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp } from '../state/hooks/hooks.tsx'
import { activeRoot } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { AriaElement } from '../ui/react/elements.tsx'
import { useVirtualRows } from '../ui/react/use-virtual-rows.ts'
import type { BoardCard, BoardColumn } from './board.ts'
import { DragGhost, DropLine, dropStateOf, StatusHeading } from './drop-marks.tsx'
import { TodoCard } from './todo-card.tsx'
import { AddTodo } from './todo-form.tsx'
import { type Board, useBoard } from './use-board.ts'
import { useBoardKeys } from './use-board-keys.ts'
import { useDrag } from './use-drag.ts'

const labels = strings.agents

type Row =
  | { readonly kind: 'heading'; readonly key: TodoStatus; readonly column: BoardColumn }
  | {
      readonly kind: 'card'
      readonly key: string
      readonly item: BoardCard
      readonly previous: string
      readonly next: string
    }

function rowsOf(columns: readonly BoardColumn[]): readonly Row[] {
  return columns.flatMap((column) => [
    { kind: 'heading', key: column.status, column } as const,
    ...column.cards.map((item, index): Row => {
      const previous = column.cards[index - 1]?.key ?? ''
      return { kind: 'card', key: item.key, item, previous, next: column.cards[index + 1]?.key ?? '' }
    }),
  ])
}

const parts: Components<Row> = {
  List: ({ ref, ...props }) => <AriaElement {...props} ref={ref ?? null} role="list" />,
  Item: ({ item: _item, ...props }) => <AriaElement {...props} role="listitem" />,
}

/** The plan of the root agent as a list in three parts. Only visible cards are rendered, because plans can be long. */
export function TodoList(): ReactNode {
  const board = useBoard()
  return (
    <div className="pb-2">
      {board.count === 0 && <p className="px-3 pb-2 text-muted">{labels.noTodos}</p>}
      {board.count > 0 && <StackedBoard board={board} />}
      {board.refusal && (
        <div className="px-3 pt-1">
          <RefusalNotice refusal={board.refusal} />
        </div>
      )}
      {board.thread && (
        <div className="mt-1 px-3">
          <AddTodo to="pending" label={labels.addTodo} onAdd={(content) => board.actions.add(content, 'pending')} />
        </div>
      )}
    </div>
  )
}

/** The columns below each other, for a narrow place. Scrolls with the region around it. */
export function StackedBoard({ board }: { board: Board }): ReactNode {
  const { columns, actions, editing } = board
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const rows = useMemo(() => rowsOf(columns), [columns])
  const indexOf = (key: string | null): number => rows.findIndex((row) => row.key === key)
  const keys = useBoardKeys(board, true, { rowOf: indexOf, focusCard: (key) => focusRow(indexOf(key)) })
  const { list, box, focusRow, rangeChanged, stop } = useVirtualRows(Math.max(indexOf(keys.reached), 0))
  const { drag, attachGhost, onPointerDown } = useDrag(actions.drop)
  const state = dropStateOf(columns, drag)
  return (
    <AriaElement
      role="presentation"
      ref={(element) => {
        box.current = element
        keys.root.current = element
        setScroller(element?.closest<HTMLElement>('[data-scroller], [data-region]') ?? null)
      }}
      {...stop}
      data-board
      onKeyDown={keys.onKeyDown}
      className="outline-none"
    >
      {scroller && (
        <Virtuoso
          ref={list}
          customScrollParent={scroller}
          data={rows}
          components={parts}
          computeItemKey={(_, { key }) => key}
          rangeChanged={rangeChanged}
          increaseViewportBy={200}
          itemContent={(index, row) =>
            row.kind === 'heading' ? (
              <div data-column={row.key} data-first={row.column.cards[0]?.key ?? ''}>
                <StatusHeading column={row.column} state={state} look="line" />
                {row.column.cards.length === 0 && <DropLine shown={state.before === `end ${row.key}`} />}
              </div>
            ) : (
              <AriaElement
                role="presentation"
                data-column={row.item.status}
                className={state.refused === row.item.status ? 'cursor-not-allowed opacity-40' : undefined}
                onFocus={() => keys.reach(row.key)}
              >
                <DropLine shown={state.before === row.key} />
                <TodoCard
                  item={row.item}
                  look="line"
                  previous={row.previous}
                  next={row.next}
                  row={index}
                  reached={keys.reached === row.key}
                  editing={editing === row.key}
                  dragged={drag?.key === row.key}
                  actions={actions}
                  onPointerDown={onPointerDown}
                />
                {row.next === '' && <DropLine shown={state.before === `end ${row.item.status}`} />}
              </AriaElement>
            )
          }
        />
      )}
      <p role="status" className="sr-only">
        {board.announcement}
      </p>
      <DragGhost columns={columns} drag={drag} attach={attachGhost} />
    </AriaElement>
  )
}

export function TodoCount(): ReactNode {
  const todos = useApp(activeRoot)?.todos ?? []
  if (todos.length === 0) return null
  const done = todos.filter((todo) => todo.status === 'completed').length
  return (
    <span className="tabular-nums" title={labels.todoProgress(done, todos.length)}>
      {done}/{todos.length}
    </span>
  )
}
