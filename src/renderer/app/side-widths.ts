import type { CentreTab } from '../state/store/ui-state.ts'

/** Windows at least this wide show the sides beside the centre. */
export const sidebarFits = '(min-width: 760px)'
const inspectorFits = {
  beside: '(min-width: 1000px)',
  // From 1600 px on, the chat stands beside the list of branches.
  besideBranches: '(min-width: 1440px) and (max-width: 1599px), (min-width: 2200px)',
  besideReview: '(min-width: 2200px)',
} as const

/** The windows that show the inspector beside the centre. A review needs the room for itself. */
export function inspectorFitsBeside(tab: CentreTab): string {
  if (tab === 'branches') return inspectorFits.besideBranches
  return tab === 'changes' ? inspectorFits.besideReview : inspectorFits.beside
}
