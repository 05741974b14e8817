import { useApp } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'

/** What surrounds a run of the setup here, and how its presses are called. Nothing is promised before the host said it. */
export function useRunWords() {
  return strings.setup.runs[useApp((state) => state.info?.sandbox.state ?? 'off')]
}
