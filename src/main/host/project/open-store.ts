import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { systemClock } from '#adapters/clock/system-clock.ts'
import { createPace } from '#adapters/pace.ts'
import { acquireProjectLock } from '#adapters/sqlite/file/project-lock.ts'
import { openProjectDatabase } from '#adapters/sqlite/project-database.ts'
import { closeCrashedRuns } from '#core/agent/calls/unknown-end.ts'
import { type Decided, executeCommand, type Stored } from '#core/commands/command.ts'
import { openProjectLogInSteps } from '#core/journal/project-log.ts'
import { createUserMemoryDelivery } from '#core/journal/user-memory-delivery.ts'
import { nodeHashing } from '#overlay/node'
import { createEventHub } from '../events/event-hub.ts'
import { createNotifier } from '../events/notifier.ts'
import { keepMemoryLow } from '../storage/keep-memory-low.ts'
import { backUpRegularly } from '../storage/project-backups.ts'
import { describeModel } from '../telemetry/describe-model.ts'
import { createTelemetry } from '../telemetry/telemetry.ts'
import { givenToPrograms, type Opening } from './opening.ts'

export type OpenStore = Awaited<ReturnType<typeof openStore>>

/** The first stage: the lock, the database, the journal in it, and who hears of entries. */
export async function openStore(opening: Opening) {
  const { options, settings, place, userMemories, report, signal, cleanup } = opening
  cleanup.use(acquireProjectLock(join(place.dataFolder, 'lock.db'), options.holder, Date.now, options.door))
  const databaseFile = join(place.dataFolder, 'project.db')
  const database = cleanup.use(openProjectDatabase({ file: databaseFile, clock: systemClock, hashing: nodeHashing }))
  cleanup.use(backUpRegularly(database, options.log))
  if (database.movedAside !== null) {
    options.log(
      `The data of ${place.info.name} was damaged. It was kept as ${database.movedAside} and a new database was started. ${backupWords(database.lastBackup)}`,
      'damaged database',
    )
  }
  const events = createEventHub((after) => database.journal.read({ after }))
  const delivery = createUserMemoryDelivery(userMemories, place.info, (error) =>
    options.log('A memory for all projects is kept in this project until its store can take it', error),
  )
  const pace = createPace(signal)
  const log = await openProjectLogInSteps(
    database.journal,
    (entry) => {
      delivery.take(entry)
      events.publish(entry)
    },
    {
      folds: database.folds,
      afterStep(progress) {
        report(progress)
        return pace()
      },
    },
  )
  cleanup.use(keepMemoryLow(log, options.log))
  delivery.catchUp(log)
  closeCrashedRuns(log, randomUUID)
  cleanup.use(
    createNotifier({
      events,
      project: place.info.name,
      threads: () => log.state.threads,
      findTarget: () => settings.read().outward.notify,
      workingFolder: place.dataFolder,
      environment: () => givenToPrograms(opening),
      report: options.log,
    }),
  )
  cleanup.use(
    createTelemetry({
      ...{ events, version: options.version, report: options.log },
      findTarget: () => settings.read().spans,
      findThread: (threadId) => log.state.threads.get(threadId),
      describeModel: (model) => describeModel(model, settings.read().profiles),
    }),
  )
  const run = <Answer>(decided: Decided<Answer>): Stored<Answer> => executeCommand(log, decided)
  return { databaseFile, database, events, log, run }
}

function backupWords(lastBackup: string | null): string {
  if (lastBackup === null) return 'There is no backup of it'
  return `To go back to the last backup, close Coppice and replace project.db by ${lastBackup}`
}
