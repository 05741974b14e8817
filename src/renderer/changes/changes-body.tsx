import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { CommentBar } from '../parts/review/comment-bar.tsx'
import { useReview } from '../parts/review/use-review.ts'
import { useApp, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { isMac } from '../state/preferences/keymap.ts'
import { strings } from '../strings/strings.ts'
import { AriaElement } from '../ui/react/elements.tsx'
import { isFocusNowhere, mayTakeFocus } from '../ui/react/focus.ts'
import { isTyping } from '../ui/react/keys.ts'
import { useWidth } from '../ui/react/observers.ts'
import { useStable } from '../ui/react/use-stable.ts'
import { ChangeList } from './change-list.tsx'
import { filesInOrder } from './change-tree.ts'
import type { RenderConflict } from './disk-conflict.tsx'
import { FindBar } from './review/find-bar.tsx'
import { type Match, rowOfMatch } from './review/find-matches.ts'
import { changedSince, useLastLook } from './review/marks/looked.ts'
import { useViewed } from './review/marks/viewed.ts'
import { ReviewList } from './review/review-list.tsx'
import { ReviewToolbar } from './review/review-toolbar.tsx'
import { useReviewLook } from './review/use-review-look.ts'
import type { ReviewSteps } from './review/use-review-steps.ts'
import { SelectionBar } from './selection-bar.tsx'
import { useChangeActions } from './use-change-actions.ts'

const labels = strings.changes

interface ChangesBodyProps {
  readonly branchId: BranchId
  readonly changes: readonly FileChange[]
  /** Those that agents made. */
  readonly repositories: readonly VirtualPath[]
  readonly renderConflict: RenderConflict
  readonly selection: ReadonlySet<VirtualPath>
  readonly onSelect: (selection: ReadonlySet<VirtualPath>) => void
}

/** The tree stands beside the list, or above it where the list would become too narrow to read a line. */
const treeAndList =
  '@max-[40rem]:grid-rows-[minmax(0,32%)_minmax(0,1fr)] @min-[40rem]:grid-cols-[minmax(12rem,17rem)_minmax(0,1fr)]'

/** The review of a workspace: the tree of its changed files, and their changes in one list. */
export function ChangesBody(props: ChangesBodyProps): ReactNode {
  const { branchId, changes, repositories, renderConflict, selection, onSelect } = props
  const projectId = useProjectId()
  const [filter, setFilter] = useState('')
  const ordered = useMemo(() => filesInOrder(changes), [changes])
  const looks = useLastLook(`coppice-looked ${projectId} ${branchId}`, changes)
  const [since, setSince] = useState(false)
  const files = useMemo(
    () => fitting(filter, since ? changedSince(ordered, looks) : ordered),
    [ordered, filter, since, looks],
  )
  const viewed = useViewed(`coppice-viewed ${projectId} ${branchId}`, changes)
  const review = useReview(branchId)
  const actions = useChangeActions(branchId)
  const { ref: widthRef, width } = useWidth()
  const look = useReviewLook(width)
  const [finding, setFinding] = useState(false)
  const [query, setQuery] = useState('')
  const steps = useRef<ReviewSteps>(null)
  const place = useShownFile(steps, files, width > 0)
  const mark = useStable((change: FileChange, to: boolean) => viewed.mark(change, to))
  const region = useRef<HTMLDivElement>(null)
  const onKey = useReviewKeys({ steps, viewed: viewed.paths, onFind: () => setFinding(true) })
  useFocusFromNowhere(region, onKey)
  const toMatch = (match: Match): void => steps.current?.showLine(match.path, (rows) => rowOfMatch(rows, match))
  const closeFind = (): void => {
    setFinding(false)
    setQuery('')
    focusList(region.current)
  }

  return (
    <>
      <CommentBar review={review} onShow={(path) => steps.current?.focusFile(path)} />
      <AriaElement
        ref={region}
        role="group"
        aria-label={labels.review}
        onKeyDown={(event: KeyboardEvent<HTMLElement>) => onKey(event.nativeEvent)}
        className="@container grid min-h-0 flex-1"
      >
        <div className={look.tree ? `grid min-h-0 ${treeAndList}` : 'grid min-h-0'}>
          {look.tree && (
            <div className="flex min-h-0 flex-col border-line @max-[40rem]:border-b @min-[40rem]:border-r">
              <SelectionBar branchId={branchId} changes={files} selection={selection} onSelect={onSelect} />
              <ChangeList
                branchId={branchId}
                changes={files}
                repositories={repositories}
                shown={place.shown ?? rootPath}
                onShow={place.show}
                selection={selection}
                onSelect={onSelect}
                viewed={viewed.paths}
              />
            </div>
          )}
          <div ref={widthRef} className="flex min-h-0 min-w-0 flex-col">
            <ReviewToolbar
              look={look}
              filter={filter}
              onFilter={setFilter}
              shown={files.length}
              viewed={viewed.paths.size}
              of={changes.length}
              since={looks === null ? null : since}
              onSince={setSince}
              finding={finding}
              onFind={() => (finding ? closeFind() : setFinding(true))}
            />
            {finding && (
              <FindBar
                branchId={branchId}
                files={files}
                query={query}
                onQuery={setQuery}
                onMatch={toMatch}
                onClose={closeFind}
              />
            )}
            {actions.command.refusal && <RefusalNotice refusal={actions.command.refusal} />}
            {files.length === 0 && (
              <p className="p-4 text-muted">
                {since && filter === '' ? strings.fileReview.sinceNone : strings.fileReview.noMatch(filter)}
              </p>
            )}
            {width > 0 && (
              <ReviewList
                branchId={branchId}
                files={files}
                viewed={viewed.paths}
                onViewed={mark}
                actions={actions}
                review={review}
                renderConflict={renderConflict}
                diffLayout={look.layout}
                wrap={look.wrap}
                find={query}
                width={width}
                steps={steps}
                onReach={place.reach}
              />
            )}
          </div>
        </div>
      </AriaElement>
    </>
  )
}

/** The files with all words of the filter in their path, old or new. Without a word, the same list. */
function fitting(filter: string, files: readonly FileChange[]): readonly FileChange[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return files
  return files.filter(({ path, from = '' }) => {
    const [now, before] = [path.toLowerCase(), from.toLowerCase()]
    return words.every((word) => now.includes(word) || before.includes(word))
  })
}

/**
 * The file that is marked in the tree. A file that another screen asks for is brought to the top and takes the focus, as
 * soon as the list is there.
 */
function useShownFile(
  steps: { readonly current: ReviewSteps | null },
  files: readonly FileChange[],
  isListed: boolean,
) {
  const asked = useApp((state) => state.ui.changedFile)
  const updateUi = useUpdateUi()
  const [shown, setShown] = useState<VirtualPath | null>(null)
  const reach = useCallback((path: VirtualPath) => setShown(path), [])
  const isThere = asked !== null && files.some(({ path }) => path === asked)
  useEffect(() => {
    if (!isListed || !isThere || asked === null || !steps.current) return
    steps.current.focusFile(asked)
    setShown(asked)
    updateUi((ui) => ({ ...ui, changedFile: null }))
  }, [asked, isThere, isListed, steps, updateUi])
  return {
    shown: shown ?? files[0]?.path ?? null,
    reach,
    show: (path: VirtualPath) => {
      setShown(path)
      steps.current?.showFile(path)
    },
  }
}

interface KeyParts {
  readonly steps: { readonly current: ReviewSteps | null }
  readonly viewed: ReadonlySet<VirtualPath>
  readonly onFind: () => void
}

/** The keys of a review: files, hunks, *Viewed* and the search. */
function useReviewKeys({ steps, viewed, onFind }: KeyParts): (event: globalThis.KeyboardEvent) => void {
  return useStable((event: globalThis.KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey) return
    if ((isMac ? event.metaKey : event.ctrlKey) && event.key.toLowerCase() === 'f') {
      event.preventDefault()
      onFind()
      return
    }
    const go = steps.current
    if (!go || event.ctrlKey || event.metaKey || isTyping(event.target)) return
    switch (event.key) {
      case 'j':
        return go.stepHunk(1)
      case 'k':
        return go.stepHunk(-1)
      case ']':
        return go.stepFile(1)
      case '[':
        return go.stepFile(-1)
      case 'v': {
        const file = go.current()
        if (file) go.mark(file, !viewed.has(file.path))
        return
      }
      default:
    }
  })
}

function focusList(region: HTMLElement | null): void {
  const list = region?.querySelector<HTMLElement>('[data-review]')
  if (list && mayTakeFocus(list)) list.focus({ preventScroll: true })
}

/**
 * The button that opened the review, or the row that had the focus, may be gone. Then the list takes the focus, so that
 * its keys work. They also work on the tab of the review, and the search works from everywhere beside it.
 */
function useFocusFromNowhere(
  region: { readonly current: HTMLElement | null },
  onKey: (event: globalThis.KeyboardEvent) => void,
): void {
  useEffect(() => {
    if (isFocusNowhere()) focusList(region.current)
  })
  useEffect(() => {
    function onKeyDown(event: globalThis.KeyboardEvent): void {
      const target = event.target instanceof Element ? event.target : null
      if (target === null || region.current?.contains(target)) return
      const isSearch =
        (event.ctrlKey || event.metaKey) && target.closest('[role="dialog"], .xterm, .cm-editor') === null
      if (target === document.body) focusList(region.current)
      if (target === document.body || isSearch || target.closest('[role="tab"]')) onKey(event)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [region, onKey])
}
