import electron from 'electron'
import { appRootFrom, startDesktop } from './start-desktop.ts'

await startDesktop(electron, appRootFrom(import.meta.dirname))
