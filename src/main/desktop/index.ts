import electron from 'electron'
import { keepHeapSmall } from '#host/app/heap.ts'
import { appRootFrom, startDesktop } from './start-desktop.ts'

keepHeapSmall()
await startDesktop(electron, appRootFrom(import.meta.dirname))
