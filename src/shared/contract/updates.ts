import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { UpdateView } from './views/updates.ts'

const nothing = type<void>()

/** New versions of the app. */
export const updateCommands = {
  /** The view now, then after every change. Never ends on its own, and asks nobody outside. */
  follow: oc.output(eventIterator(type<UpdateView>())),
  /** Looks for a new version now, whatever the setting says. What it finds is downloaded. */
  check: oc.output(nothing),
  /** Restarts with the downloaded version, once no agent works. Fails as `REFUSED` when none is downloaded. */
  install: oc.output(nothing),
  /** Takes `install` back while it waits. */
  wait: oc.output(nothing),
  /** Sets whether Coppice looks by itself. */
  switch: oc.input(z.object({ on: z.boolean() })).output(nothing),
}
