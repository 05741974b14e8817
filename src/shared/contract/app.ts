import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'
import { webAddress } from './primitives.ts'
import type { AppInfo, Examination, InstalledCommand } from './views/app.ts'
import type { FolderPage } from './views/projects.ts'

const nothing = type<void>()

/** The app as a whole. */
export const appCommands = {
  info: oc.output(type<AppInfo>()),
  /** The native folder dialog; null when it was cancelled. Desktop only. */
  pickFolder: oc.output(type<string | null>()),
  folders: oc.input(z.object({ path: z.string().max(4096).nullable() })).output(type<FolderPage>()),
  /** Uses every part of the machine once and reports on each as soon as it is known. */
  examine: oc.output(eventIterator(type<Examination>())),
  openExternal: oc.input(z.object({ url: webAddress })).output(nothing),
  /** Shows the data folder in the system's own file manager. Desktop only. */
  openDataFolder: oc.output(nothing),
  /** Puts the `coppice` command on the person's PATH. Desktop only. */
  installCommand: oc.output(type<InstalledCommand>()),
}
