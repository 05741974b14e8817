import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { projectId, virtualPath } from './primitives.ts'
import { acceptedFields, reachedNames, setupFields } from './settings-update.ts'
import type { SetupView } from './views/setup.ts'

const project = z.object({ projectId })
const nothing = type<void>()

/** What a person may do about the setup of a project. */
export const setupCommands = {
  view: oc.input(project).output(type<SetupView>()),
  /** Sets it in the person's settings for this project, and runs it. What is absent of the rest stays as it is. */
  save: oc
    .input(project.extend(setupFields).extend(z.object(acceptedFields).partial().shape))
    .output(type<SetupView>()),
  /** Accepts what the project keeps for other tools beside a setup. Null and an empty object want none of it. */
  acceptScripts: oc.input(project.extend(acceptedFields)).output(type<SetupView>()),
  /** Proposes none for this project any more. */
  decline: oc.input(project).output(type<SetupView>()),
  /** Removes the person's own choice for this project. Where there is none, they want no setup for it. */
  remove: oc.input(project).output(type<SetupView>()),
  /** Allows these hosts, as far as the project proposes them. */
  allowHosts: oc.input(project.extend({ hosts: reachedNames })).output(type<SetupView>()),
  /** Lets agents of every project read these files, as far as the project names them. */
  showFiles: oc.input(project.extend({ paths: z.array(virtualPath).max(100) })).output(type<SetupView>()),
  /** Runs it now, whatever became of it before. */
  start: oc.input(project).output(type<SetupView>()),
  cancel: oc.input(project).output(nothing),
  /** All output of the last run, cut in the middle beyond 1 MB. */
  output: oc.input(project).output(type<{ readonly text: string }>()),
}
