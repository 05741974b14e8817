import { lazy } from 'react'
import type { PreparedReview } from '../changes/prepare-review.ts'
import { fetchable } from '../ui/react/fetchable.tsx'

/** Screens that most visits never show. Each is fetched when it is first needed. */
export const TerminalPanel = lazy(async () => ({
  default: (await import('../terminal/terminal-panel.tsx')).TerminalPanel,
}))
const branches = fetchable(async () => (await import('../branches/branches-screen.tsx')).BranchesScreen)
export const BranchesScreen = branches.Component
export const BatchScreen = lazy(async () => ({
  default: (await import('../batches/batch-screen.tsx')).BatchScreen,
}))
const board = fetchable(async () => (await import('../todos/todo-screen.tsx')).TodoScreen)
export const TodoScreen = board.Component
export const HistoryScreen = lazy(async () => ({
  default: (await import('../history/history-screen.tsx')).HistoryScreen,
}))
export const ConflictSidesView = lazy(async () => ({
  default: (await import('../branches/conflict/conflict-view.tsx')).ConflictSidesView,
}))
const changesScreen = fetchable(async () => (await import('../changes/changes-screen.tsx')).ChangesScreen)
export const ChangesScreen = changesScreen.Component
export const SettingsScreen = lazy(async () => ({
  default: (await import('../settings/settings-screen.tsx')).SettingsScreen,
}))
export const AboutScreen = lazy(async () => ({
  default: (await import('../about/about-screen.tsx')).AboutScreen,
}))
export const SetupScreen = lazy(async () => ({
  default: (await import('../setup/setup-screen.tsx')).SetupScreen,
}))
export const ChecksScreen = lazy(async () => ({
  default: (await import('../checks/checks-screen.tsx')).ChecksScreen,
}))
export const FoldersDialog = lazy(async () => ({
  default: (await import('../home/folders-dialog.tsx')).FoldersDialog,
}))
export const MemoryScreen = lazy(async () => ({
  default: (await import('../memory/memory-screen.tsx')).MemoryScreen,
}))
export const ContextDialog = lazy(async () => ({
  default: (await import('../context/context-dialog.tsx')).ContextDialog,
}))
export const RewindDialog = lazy(async () => ({
  default: (await import('../rewind/rewind-dialog.tsx')).RewindDialog,
}))

const palette = fetchable(async () => (await import('./command-palette.tsx')).CommandPalette)
export const CommandPalette = palette.Component

const restMs = 1_000

/**
 * Fetches what a person reaches with one key or click once the page is idle: the palette, where typing starts at once,
 * and the screens of the tabs. Returns a function that cancels.
 */
export function fetchNextSoon(): () => void {
  const timer = setTimeout(() => [palette, branches, board].forEach(({ fetch }) => void fetch()), restMs)
  return () => clearTimeout(timer)
}

/** Milliseconds without another change after which an agent has probably finished its edits. */
const editedMs = 400

/**
 * Fetches the review and, a moment later, prepares it for these changes. Returns a function that cancels, and lets go of
 * what was prepared.
 */
export function prepareReviewSoon(review: PreparedReview): () => void {
  changesScreen.fetch()
  let release: (() => void) | null = () => undefined
  const timer = setTimeout(async () => {
    try {
      const { prepareReview } = await import('../changes/prepare-review.ts')
      if (release) release = prepareReview(review)
    } catch {
      // The review asks for everything again when it opens, and then says what is missing.
    }
  }, editedMs)
  return () => {
    clearTimeout(timer)
    release?.()
    release = null
  }
}
