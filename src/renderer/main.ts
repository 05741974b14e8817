// The first script of the page, and small: it connects to the host and asks what to show, while the screens are read.
import './app/app.css'
import { openDesktopLink } from './state/connection/transport-desktop.ts'
import { openWebLink, takeToken } from './state/connection/transport-web.ts'
import { forgetProject } from './state/preferences/saved-window.ts'
import { applyContrast, applyTheme, readContrast, readTheme } from './state/preferences/theme.ts'
import { createSession } from './state/session/session.ts'
import { restoreProject, startUp } from './state/session/start-up.ts'

/** The longest time, in milliseconds, for which the screens let the questions to the host go first. */
const headStart = 100

applyTheme(document.documentElement, readTheme(localStorage))
applyContrast(document.documentElement, readContrast(localStorage))

const bridge = window.coppice
// An address with a token was opened on purpose, so it opens its own folder, not the one this tab had open.
if (location.hash.includes('token=')) forgetProject(sessionStorage)
const token = bridge ? '' : takeToken(location, history, sessionStorage)
const session = createSession(() => (bridge ? openDesktopLink(bridge) : openWebLink(location, token)), restoreProject)
// Reading the screens takes a while in which no answer is heard. The host works in the meantime, if it is asked before.
const asked = new Promise<void>((resolve) => {
  void startUp(session, resolve)
  setTimeout(resolve, headStart)
})

const root = document.getElementById('root')
if (root) void asked.then(() => import('./app/show-app.tsx')).then(({ showApp }) => showApp(root, session))
