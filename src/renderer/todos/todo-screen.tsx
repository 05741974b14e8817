import { Columns3, MessageSquare } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useUpdateUi } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { AriaElement } from '../ui/react/elements.tsx'
import { useWidth } from '../ui/react/observers.ts'
import { useVirtualRows } from '../ui/react/use-virtual-rows.ts'
import { type BoardCard, type BoardColumn, placeOfCard } from './board.ts'
import { DragGhost, DropLine, type DropState, dropStateOf, StatusHeading } from './drop-marks.tsx'
import { TodoCard } from './todo-card.tsx'
import { AddTodo } from './todo-form.tsx'
import { StackedBoard } from './todo-list.tsx'
import { type Board, useBoard } from './use-board.ts'
import { useBoardKeys } from './use-board-keys.ts'
import { type Drag, useDrag } from './use-drag.ts'

const labels = strings.board
/** Columns stand beside each other from this width on, in pixels. */
const columnsFit = 560

/** The plan as a screen of its own. */
export function TodoScreen(): ReactNode {
  const board = useBoard()
  const { ref, width } = useWidth()
  if (!board.thread) return <NoThread />
  return (
    <section ref={ref} aria-label={labels.title} className="flex min-h-0 flex-1 flex-col">
      {board.refusal && (
        <div className="px-4 pt-3">
          <RefusalNotice refusal={board.refusal} />
        </div>
      )}
      {board.count === 0 ? (
        <EmptyBoard board={board} />
      ) : width >= columnsFit ? (
        <ColumnBoard board={board} />
      ) : (
        <div data-scroller className="min-h-0 flex-1 overflow-auto py-2">
          <StackedBoard board={board} />
          <div className="px-3 pt-2">
            <AddTodo to="pending" label={labels.add} onAdd={(content) => board.actions.add(content, 'pending')} />
          </div>
        </div>
      )}
    </section>
  )
}

function NoThread(): ReactNode {
  const updateUi = useUpdateUi()
  return (
    <Empty
      icon={<Columns3 size={24} aria-hidden />}
      title={labels.emptyTitle}
      detail={labels.noThreadDetail}
      action={
        <Button
          tone="primary"
          icon={<MessageSquare size={14} aria-hidden />}
          onClick={() => updateUi((ui) => ({ ...ui, tab: 'chat' }))}
        >
          {labels.describeTask}
        </Button>
      }
    />
  )
}

function EmptyBoard({ board }: { board: Board }): ReactNode {
  return (
    <Empty
      icon={<Columns3 size={24} aria-hidden />}
      title={labels.emptyTitle}
      detail={labels.emptyDetail}
      action={
        <div className="w-72 max-w-[80vw]">
          <AddTodo to="pending" label={labels.add} onAdd={(content) => board.actions.add(content, 'pending')} />
        </div>
      }
    />
  )
}

/** The columns beside each other. */
function ColumnBoard({ board }: { board: Board }): ReactNode {
  const { columns, actions } = board
  const focusers = useRef(new Map<string, (row: number) => void>())
  function focusCard(key: string): void {
    const place = placeOfCard(columns, key)
    const column = place && columns[place.column]
    if (place && column) focusers.current.get(column.status)?.(place.row)
  }
  const rowOf = (key: string): number => placeOfCard(columns, key)?.row ?? -1
  const keys = useBoardKeys(board, false, { rowOf, focusCard })
  const { drag, attachGhost, onPointerDown } = useDrag(actions.drop)
  const state = dropStateOf(columns, drag)
  return (
    <AriaElement
      role="presentation"
      ref={keys.root}
      data-board
      onKeyDown={keys.onKeyDown}
      className="mx-auto flex min-h-0 w-full max-w-[84rem] flex-1 gap-3 overflow-x-auto p-4"
    >
      {columns.map((column) => (
        <Column
          key={column.status}
          column={column}
          board={board}
          state={state}
          drag={drag}
          reached={keys.reached}
          onReach={keys.reach}
          onPointerDown={onPointerDown}
          register={(focus) => void focusers.current.set(column.status, focus)}
        />
      ))}
      <p role="status" className="sr-only">
        {board.announcement}
      </p>
      <DragGhost columns={columns} drag={drag} attach={attachGhost} />
    </AriaElement>
  )
}

interface ColumnProps {
  readonly column: BoardColumn
  readonly board: Board
  readonly state: DropState
  readonly drag: Drag | null
  readonly reached: string | null
  readonly onReach: (key: string) => void
  readonly onPointerDown: ReturnType<typeof useDrag>['onPointerDown']
  /** Takes a function that focuses a row of this column. */
  readonly register: (focus: (row: number) => void) => void
}

const listParts = {
  List: ({ ref, ...props }: React.ComponentProps<'div'>) => <AriaElement {...props} ref={ref ?? null} role="list" />,
  Item: ({ item: _item, ...props }: React.ComponentProps<'div'> & { item: BoardCard }) => (
    <AriaElement {...props} role="listitem" />
  ),
}

function Column(props: ColumnProps): ReactNode {
  const { column, board, state, drag, reached, onReach, onPointerDown, register } = props
  const { status, cards } = column
  const row = Math.max(
    cards.findIndex(({ key }) => key === reached),
    0,
  )
  const { list, box, focusRow, rangeChanged, stop } = useVirtualRows(row)
  register(focusRow)
  const [guess] = useState(cards.length * 40)
  /** Makes the list as high as its cards, so that the box below follows the last card. Renders no card again. */
  function fitHeight(height: number): void {
    if (box.current) box.current.style.height = `${height}px`
  }
  const refused = state.refused === status
  const holdsReached = cards[row]?.key === reached
  return (
    <section
      aria-label={labels.column(status, cards.length)}
      data-column={status}
      className={classNames(
        'flex min-w-44 flex-1 flex-col gap-1 rounded-lg border bg-panel p-2',
        state.over === status && !refused && state.before !== null ? 'border-accent' : 'border-transparent',
        refused && 'cursor-not-allowed border-line border-dashed!',
      )}
    >
      <div data-first={cards[0]?.key ?? ''}>
        <StatusHeading column={column} state={state} look="box" />
      </div>
      {cards.length === 0 ? (
        <div className="flex min-h-10 flex-col text-faint">
          <DropLine shown={state.before === `end ${status}`} />
          {!refused && <p className="px-1 py-1 text-xs">{labels.emptyColumn[status]}</p>}
        </div>
      ) : (
        <AriaElement
          role="presentation"
          ref={box}
          {...(holdsReached ? stop : {})}
          style={{ height: guess }}
          className={classNames('min-h-0 outline-none', refused && 'opacity-40')}
        >
          <Virtuoso
            ref={list}
            data={cards}
            className="h-full"
            components={listParts}
            computeItemKey={(_, { key }) => key}
            rangeChanged={rangeChanged}
            totalListHeightChanged={fitHeight}
            increaseViewportBy={300}
            itemContent={(index, item) => {
              const next = cards[index + 1]?.key ?? ''
              return (
                <AriaElement role="presentation" onFocus={() => onReach(item.key)} className="pb-1.5">
                  <DropLine shown={state.before === item.key} />
                  <TodoCard
                    item={item}
                    look="box"
                    previous={cards[index - 1]?.key ?? ''}
                    next={next}
                    row={index}
                    reached={reached === item.key}
                    editing={board.editing === item.key}
                    dragged={drag?.key === item.key}
                    actions={board.actions}
                    onPointerDown={onPointerDown}
                  />
                  {next === '' && <DropLine shown={state.before === `end ${status}`} />}
                </AriaElement>
              )
            }}
          />
        </AriaElement>
      )}
      {status !== 'completed' && (
        <AddTodo
          quiet
          to={status}
          label={status === 'pending' ? labels.add : labels.addTo(status)}
          onAdd={(content) => board.actions.add(content, status)}
        />
      )}
    </section>
  )
}
