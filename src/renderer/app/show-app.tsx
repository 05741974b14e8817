import { createRoot } from 'react-dom/client'
import type { Session } from '../state/session/session.ts'
import { App } from './app.tsx'

/** Shows the window in an element of the page. */
export function showApp(root: HTMLElement, session: Session): void {
  createRoot(root).render(<App session={session} />)
}
