import { doorsPage } from '../doors/doors-page.ts'
import { commandLinePage } from './command-line-page.ts'
import { definitionsPage } from './definitions-page.ts'
import { environmentPage } from './environment-page.ts'
import { eventsSchemaFile } from './events-schema.ts'
import { manPage } from './man-page.ts'
import { settingsPage, settingsSchemaFile } from './settings-page.ts'
import { toolsPage } from './tools-page.ts'

/** The generated files of the guide, by path from the project's root. */
export async function generateDocs(): Promise<Readonly<Record<string, string>>> {
  return {
    'docs/guide/settings.md': settingsPage(),
    'docs/guide/settings.schema.json': settingsSchemaFile(),
    'docs/guide/definitions.md': definitionsPage(),
    'docs/guide/environment.md': environmentPage(),
    'docs/guide/events.schema.json': eventsSchemaFile(),
    'docs/guide/command-line.md': commandLinePage(),
    'docs/man/coppice.1': manPage(),
    'docs/guide/tools.md': await toolsPage(),
    'docs/doors.md': doorsPage(),
  }
}
