import { type KeyboardEvent, type ReactNode, type Ref, useImperativeHandle, useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { BranchFile, BranchSurvey } from '#shared/contract/views/branches.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp } from '../state/hooks/hooks.tsx'
import { useAuthorNames } from '../state/hooks/use-author-names.ts'
import { strings } from '../strings/strings.ts'
import { classNames } from '../ui/react/class-names.ts'
import { AriaElement } from '../ui/react/elements.tsx'
import { useVirtualRows } from '../ui/react/use-virtual-rows.ts'
import { FileActions, FileCells } from './branch-file-cells.tsx'
import { mergeOf, reviewKey } from './review-logic.ts'
import type { BranchActions } from './use-branch-actions.ts'
import { useRowFocus } from './use-row-focus.ts'

const labels = strings.branches

/** Height in pixels of a row that does not wrap. The list measures the real height later. */
const rowHeight = 37

export interface FocusFile {
  /** Moves the focus to the row of a file. The first row takes it if the file is gone, or null. */
  focus(path: VirtualPath | null): void
}

interface BranchFilesProps {
  readonly ref: Ref<FocusFile>
  readonly branch: Branch
  readonly files: readonly BranchFile[]
  readonly survey: BranchSurvey | undefined
  readonly chosen: VirtualPath | null
  readonly onChoose: (path: VirtualPath) => void
  /** Opens a file in conflict and moves the focus to its first conflict. */
  readonly onEnter: (path: VirtualPath) => void
  readonly actions: BranchActions
}

/** The files of a branch, each with *Merge*, *Force* and *Discard*. Only visible rows are rendered. */
export function BranchFiles({
  ref,
  branch,
  files,
  survey,
  chosen,
  onChoose,
  onEnter,
  actions,
}: BranchFilesProps): ReactNode {
  const drifts = useApp((state) => state.live.drifts.get(branch.id))
  const authorOf = useAuthorNames(branch.id)
  const reached = Math.max(
    files.findIndex(({ path }) => path === chosen),
    0,
  )
  const { list, box, focusRow, rangeChanged, stop } = useVirtualRows(reached)
  const focus = useRowFocus({ box, rows: files.length, focusRow })
  useImperativeHandle(ref, () => ({
    focus: (path) =>
      focusRow(
        Math.max(
          files.findIndex((file) => file.path === path),
          0,
        ),
      ),
  }))
  const [height, setHeight] = useState(files.length * rowHeight)

  const merge = (file: BranchFile): void => {
    if (file.status === 'conflict') onEnter(file.path)
    else void actions.merge([file.path], file.status === 'mergeable' ? 'three_way' : 'refuse')
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>, file: BranchFile, index: number): void {
    const action = event.target === event.currentTarget ? reviewKey(event.key, event.shiftKey) : null
    if (event.target === event.currentTarget && event.key === 'Enter') {
      if (file.status === 'conflict') onEnter(file.path)
      else onChoose(file.path)
    }
    if (!action) return
    event.preventDefault()
    const possible = !actions.command.busy && (file.status !== 'identical' || action === 'discard')
    if (action === 'next' || action === 'previous') goTo(index + (action === 'next' ? 1 : -1))
    else if (!possible) return
    else if (action === 'merge') merge(file)
    else if (action === 'force') void actions.force(file.path)
    else void actions.discard([file.path])
  }

  function goTo(index: number): void {
    const file = files[index]
    if (!file) return
    onChoose(file.path)
    focusRow(index)
  }

  return (
    <AriaElement
      ref={box}
      role="grid"
      aria-label={labels.files(branch.name)}
      aria-rowcount={files.length}
      tabIndex={stop.tabIndex}
      onBlur={focus.onBlur}
      onFocus={(event) => {
        focus.onFocus(event)
        stop.onFocus(event)
      }}
    >
      <Virtuoso
        ref={list}
        role="rowgroup"
        tabIndex={-1}
        style={{ height: `min(40vh, ${height}px)` }}
        totalListHeightChanged={setHeight}
        rangeChanged={rangeChanged}
        data={files}
        computeItemKey={(_, { path }) => path}
        increaseViewportBy={200}
        itemContent={(index, file) => (
          <AriaElement
            role="row"
            data-row={index}
            aria-label={file.path}
            aria-rowindex={index + 1}
            aria-selected={file.path === chosen}
            tabIndex={index === reached ? 0 : -1}
            onKeyDown={(event) => onKeyDown(event, file, index)}
            onClick={({ target }) => isButton(target) || onChoose(file.path)}
            className={classNames(
              'flex cursor-pointer flex-wrap items-center gap-x-3 border-line border-b px-3 py-1 text-xs',
              file.path === chosen && 'bg-accent-soft',
            )}
          >
            <FileCells
              branch={branch}
              file={file}
              survey={survey}
              merge={mergeOf(branch, file)}
              author={authorOf(file.path)}
              drift={drifts?.get(file.path)}
              onChoose={onChoose}
            />
            <FileActions branch={branch} file={file} merge={mergeOf(branch, file)} actions={actions} onMerge={merge} />
          </AriaElement>
        )}
      />
    </AriaElement>
  )
}

function isButton(target: EventTarget): boolean {
  return target instanceof Element && target.closest('button') !== null
}
