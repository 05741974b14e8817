import { ArrowLeft, GitBranch } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react'
import { Group, Panel, useDefaultLayout, usePanelRef } from 'react-resizable-panels'
import type { BranchId } from '#shared/model/ids.ts'
import { Divider } from '../parts/divider.tsx'
import { useApp, useAppList, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useBranchChecks } from '../state/hooks/use-checks.ts'
import { createLayoutStorage } from '../state/preferences/saved-window.ts'
import { activeBranches, isUnread } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { AriaElement } from '../ui/react/elements.tsx'
import { useWidth } from '../ui/react/observers.ts'
import { BranchReview } from './branch-review.tsx'
import { ComposeScreen } from './compose/compose-screen.tsx'
import { BranchMap } from './graph/branch-map.tsx'
import { laneHeight } from './graph/timeline-lanes.ts'
import { BranchList } from './list/branch-list.tsx'
import { useWorkList } from './list/use-work-list.ts'
import { listRows, type WorkState } from './list/work-list.ts'
import { QueuePanel } from './queue/queue-panel.tsx'
import { SideBySide } from './side-by-side.tsx'
import { useComparison } from './use-comparison.tsx'
import { useFullReview } from './use-full-review.ts'
import { useGoOn, useSelection } from './use-selection.ts'

const labels = strings.branches
const layouts = createLayoutStorage(localStorage)
const [rowPanels, columnPanels] = [
  ['timeline', 'work'],
  ['list', 'review'],
]
/** Pixels below which the list stands above the review, and an open review takes all the room. */
const sideBySide = 648

/** All branches of the thread over time, as a list of work, and the review of the selected one. */
export function BranchesScreen(): ReactNode {
  // What is composed belongs to one thread; another one that is shown has its own branches.
  const composed = useApp((state) => {
    const { composed: chosen } = state.ui
    return chosen && activeBranches(state).some(({ id }) => id === chosen.into) ? chosen : null
  })
  const updateUi = useUpdateUi()
  const close = (): void => updateUi((ui) => ({ ...ui, composed: null }))
  const key = composed && [composed.into, ...composed.branches.map(({ branchId }) => branchId)].join()
  return composed ? <ComposeScreen key={key} composed={composed} onClose={close} /> : <BranchWork />
}

function BranchWork(): ReactNode {
  const branches = useAppList(activeBranches)
  const unread = useApp(isUnread)
  const choice = useApp((state) => state.ui.branch)
  const comparedIds = useApp((state) => state.ui.compared)
  const compared = useMemo(
    () => comparedIds.flatMap((id) => branches.find((one) => one.id === id) ?? []),
    [comparedIds, branches],
  )
  const updateUi = useUpdateUi()
  const items = useWorkList(branches)
  const checks = useBranchChecks(useMemo(() => branches.map(({ id }) => id), [branches]))
  const [folded, setFolded] = useState<ReadonlySet<WorkState>>(new Set())
  const rows = useMemo(() => listRows(branches, items, folded), [branches, items, folded])
  const selected = useSelection(choice, rows, branches)
  const select = (id: BranchId): void => updateUi((ui) => ({ ...ui, branch: id, compared: [] }))
  const wentOn = useGoOn(selected?.id ?? null, rows, items, select)
  const comparing = useComparison(branches, select)
  const { ref, width } = useWidth()
  const isWide = width >= sideBySide
  const full = useFullReview(isWide || !selected?.parentId ? null : selected.id)
  const timeline = usePanelRef()
  /** Percent of the height that the timeline had before it took all of it. */
  const before = useRef(30)
  const byRow = useDefaultLayout({
    id: isWide ? 'coppice-branches' : 'coppice-branches-narrow',
    panelIds: rowPanels,
    storage: layouts,
  })
  const byColumn = useDefaultLayout({
    id: isWide ? 'coppice-branch-list' : 'coppice-branch-list-narrow',
    panelIds: columnPanels,
    storage: layouts,
  })
  if (items.length === 0 && unread) {
    return (
      <p role="status" className="p-4 text-muted">
        {strings.common.loading}
      </p>
    )
  }
  if (items.length === 0) {
    return <Empty icon={<GitBranch size={24} aria-hidden />} title={labels.emptyTitle} detail={labels.emptyDetail} />
  }
  // Panels keep the shares they get first, so they wait for the width.
  if (width === 0) return <AriaElement ref={ref} role="presentation" data-branches className="flex min-h-0 flex-1" />
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const typing = (event.target as Element).closest('input, textarea, [contenteditable="true"]') !== null
    if (event.key !== 'G' || !event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || typing) return
    event.preventDefault()
    const share = timeline.current?.getSize().asPercentage ?? 0
    const isFull = share > nearlyFull
    timeline.current?.resize(isFull ? `${before.current}%` : '100%')
    if (!isFull) before.current = share
  }
  const fold = (state: WorkState, isFolded: boolean): void =>
    setFolded((before) =>
      isFolded ? new Set([...before, state]) : new Set([...before].filter((one) => one !== state)),
    )
  const review =
    compared.length > 1 ? (
      <SideBySide key={compared.map(({ id }) => id).join()} branches={compared} />
    ) : selected?.parentId ? (
      <BranchReview
        key={selected.id}
        branch={selected}
        survey={items.find(({ branch }) => branch.id === selected.id)?.survey}
        takesFocus={wentOn === selected.id || full.takesFocus}
      />
    ) : (
      <p className="p-4 text-muted">{labels.workspaceDetail}</p>
    )
  // In the same place of both layouts, so that its dialog stays open when the width changes.
  const queue = <QueuePanel onSelect={select} />
  if (full.is && !comparing.comparison) {
    return (
      <AriaElement ref={ref} role="presentation" data-branches className="flex min-h-0 flex-1 flex-col">
        {queue}
        <div className="shrink-0 border-line border-b bg-panel px-1 py-0.5">
          <Button tone="quiet" icon={<ArrowLeft size={14} aria-hidden />} onClick={full.leave}>
            {strings.branchList.back}
          </Button>
        </div>
        {review}
      </AriaElement>
    )
  }
  return (
    <AriaElement
      ref={ref}
      role="presentation"
      data-branches
      onKeyDown={onKeyDown}
      className="flex min-h-0 flex-1 flex-col"
    >
      {queue}
      <Group orientation="vertical" className="min-h-0 flex-1" key={String(isWide)} {...byRow}>
        <Panel
          id="timeline"
          defaultSize={isWide ? timelineHeight(branches.length) : '20%'}
          minSize={72}
          panelRef={timeline}
          className="flex! flex-col"
        >
          <BranchMap
            branches={branches}
            items={items}
            checks={checks}
            selected={selected}
            chosen={comparing.chosen}
            onChoose={comparing.choose}
            onReach={comparing.reach}
          />
        </Panel>
        <Divider label={strings.branchList.resizeTimeline} orientation="horizontal" />
        <Panel id="work" minSize={48} className="flex! flex-col">
          {comparing.bar}
          <Group orientation={isWide ? 'horizontal' : 'vertical'} className="min-h-0 flex-1" {...byColumn}>
            <Panel
              id="list"
              defaultSize={isWide ? 320 : '48%'}
              minSize={isWide ? 200 : 80}
              groupResizeBehavior="preserve-pixel-size"
            >
              <BranchList
                rows={rows}
                items={items}
                checks={checks}
                selected={selected?.id ?? null}
                onSelect={select}
                onOpen={(id) => {
                  select(id)
                  full.enter()
                }}
                onFold={fold}
              />
            </Panel>
            <Divider label={strings.branchList.resizeList} orientation={isWide ? 'vertical' : 'horizontal'} />
            <Panel id="review" minSize={isWide ? 280 : 120} className="flex! flex-col overflow-auto">
              {comparing.comparison ?? review}
            </Panel>
          </Group>
        </Panel>
      </Group>
    </AriaElement>
  )
}

/** Pixels above the lanes: the heading of the timeline and its axis. */
const aboveLanes = 54

/** Pixels in which all lanes fit, as far as that leaves room for the list below. Twelve agents fit on a laptop. */
function timelineHeight(lanes: number): number {
  const [least, most] = [innerHeight * 0.25, innerHeight * 0.38]
  return Math.min(Math.max(lanes * laneHeight + aboveLanes, least), most)
}

/** Percent of the height from which the timeline counts as full. The list always keeps a few lines. */
const nearlyFull = 75
