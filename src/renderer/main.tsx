import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { forgetProject } from './state/preferences/saved-window.ts'
import './app/app.css'
import { openDesktopLink } from './state/connection/transport-desktop.ts'
import { openWebLink, takeToken } from './state/connection/transport-web.ts'
import { applyContrast, applyTheme, readContrast, readTheme } from './state/preferences/theme.ts'
import { createSession } from './state/session/session.ts'
import { restoreProject } from './state/session/start-up.ts'

applyTheme(document.documentElement, readTheme(localStorage))
applyContrast(document.documentElement, readContrast(localStorage))

const bridge = window.coppice
// An address with a token was opened on purpose, so it opens its own folder, not the one this tab had open.
if (location.hash.includes('token=')) forgetProject(sessionStorage)
const token = bridge ? '' : takeToken(location, history, sessionStorage)
const session = createSession(() => (bridge ? openDesktopLink(bridge) : openWebLink(location, token)), restoreProject)

const root = document.getElementById('root')
if (root) createRoot(root).render(<App session={session} />)
