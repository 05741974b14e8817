import type { AppInfo } from '#shared/contract/views/app.ts'
import type { OpeningProject, ProjectInfo } from '#shared/contract/views/projects.ts'
import type { UpdateView } from '#shared/contract/views/updates.ts'
import type { FileChange } from '#shared/model/branch.ts'
import { type CoppiceEvent, isLive } from '#shared/model/event.ts'
import { createReplay } from '#shared/model/fold/project.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import type { ConnectionStatus } from '../connection/connection.ts'
import type { Refusal } from '../connection/refusal.ts'
import type { Answers } from './answers.ts'
import type { Edits } from './edits.ts'
import { foldHistory, type HistoryItem } from './history.ts'
import { emptyLive, foldLive, type LiveState } from './live.ts'
import type { Rewrites } from './rewrites.ts'
import { createTimelineFold, emptyTimeline, type Timeline } from './timeline.ts'
import { initialUi, type UiState } from './ui-state.ts'

/**
 * Everything the screens show. `project`, `live`, `timeline` and `history` are folds of events; `ui` is what the person
 * chose.
 */
export interface AppState {
  readonly connection: ConnectionStatus
  readonly info: AppInfo | null
  readonly projectInfo: ProjectInfo | null
  readonly project: ProjectState
  /**
   * How many of the families were read that a long journal begins with: the shown one, and those in which something goes
   * on. Null once all of them are there.
   */
  readonly reading: Reading | null
  /** From 0 to 1: how much of a large family was read. Null while none is read, or what is read comes at once. */
  readonly readShare: number | null
  /** Root threads of a long journal of which only the outline is known. */
  readonly unread: ReadonlySet<ThreadId>
  /** Whether it is known which threads the project has. False for a moment after it was opened. */
  readonly outlined: boolean
  readonly live: LiveState
  readonly timeline: Timeline
  /** What agents and the person took away, latest last. */
  readonly history: readonly HistoryItem[]
  /** The changed files of the open thread's workspace; null while they are unknown. */
  readonly changes: readonly FileChange[] | null
  /** Why the changed files could not be listed. */
  readonly changesProblem: Refusal | null
  /** Whether the window is still finding and opening the project that it begins with. */
  readonly starting: boolean
  /** How far a project is that takes long to open; null when none does. */
  readonly opening: OpeningProject | null
  /** What there is to say of new versions; null while that is unknown. */
  readonly update: UpdateView | null
  /** The agents that the app waits for before it quits by itself; null when it does not quit. */
  readonly leaving: number | null
  /** Why the folder of the command line could not be opened. */
  readonly startProblem: Refusal | null
  readonly ui: UiState
  /** What is typed on the cards of calls that wait. */
  readonly answers: Answers
  /** What is typed in place of queued messages. */
  readonly rewrites: Rewrites
  /** What is typed in place of other texts. */
  readonly edits: Edits
}

export interface Reading {
  readonly families: number
  readonly of: number
}

export const emptyFolds: EventFolds = {
  project: emptyProject,
  live: emptyLive,
  timeline: emptyTimeline,
  history: [],
}

export const initialState: AppState = {
  ...emptyFolds,
  connection: 'connecting',
  info: null,
  projectInfo: null,
  reading: null,
  readShare: null,
  unread: new Set(),
  outlined: true,
  changes: null,
  changesProblem: null,
  starting: true,
  opening: null,
  update: null,
  leaving: null,
  startProblem: null,
  ui: initialUi,
  answers: {},
  rewrites: {},
  edits: {},
}

/** The parts of the state that are folds of events. */
export type EventFolds = Pick<AppState, 'project' | 'live' | 'timeline' | 'history'>

/**
 * Folds all events of one frame. Entries that were folded before change nothing, because a reconnect sends them
 * again.
 */
export function foldEvents(state: AppState, events: readonly CoppiceEvent[]): AppState {
  // Nobody keeps the states between the events of a frame, so folding may change them in place.
  return { ...state, ...createEventFold()(state, events) }
}

/**
 * Returns a function that folds one batch of events after another. Only its last state is valid, because folding
 * changes states in place.
 */
export function createEventFold(): (state: EventFolds, events: readonly CoppiceEvent[]) => EventFolds {
  const fold = createReplay()
  const foldTime = createTimelineFold()
  return ({ project, live, timeline, history }, events) => {
    for (const event of events) {
      if (isLive(event)) {
        live = foldLive(live, event)
        continue
      }
      if (event.sequence <= project.sequence) continue
      project = fold(project, event)
      live = foldLive(live, event)
      timeline = foldTime(timeline, event, project)
      history = foldHistory(history, event, project)
    }
    return { project, live, timeline, history }
  }
}
