import { type Field, type Procedure, procedures } from '../../src/shared/contract/procedures.testkit.ts'
import type { Row } from './doors.ts'

/** What must hold for procedures of the contract, by the fields of their inputs. A new procedure falls under it by itself. */
export interface ProcedureGuard extends Pick<Row, 'guard' | 'test' | 'mutation'> {
  readonly isAbout: (procedure: Procedure) => boolean
  readonly holds: (procedure: Procedure) => boolean
}

/** Fields with a path that is none of a project in canonical form, and what is done with it. */
const otherPaths: Readonly<Record<string, string>> = {
  'app.folders.path': 'its folders are listed by name, for the person to choose one',
  'window.showProject.project.path': 'is compared with those of other windows',
  'projects.open.path': 'is opened as a project, looked at first',
  'projects.forget.path': 'is compared with those that were opened',
  'projects.addFolder.path': 'becomes a folder of the project, looked at first',
  'projects.removeFolder.path': 'is compared with those of the project',
  'checkouts.make.folder': 'it must be missing or empty, and outside the project',
  'memory.planImport.folder': 'what would be copied is shown',
  'memory.import.folder': 'what was shown is copied',
  'memory.planExport.folder': 'what would be copied is shown',
  'memory.export.folder': 'what was shown is copied',
  'approvals.decide.decisions.paths': 'must be one that the call changed',
}

const has = (kind: Field['kind']) => (procedure: Procedure) => procedure.fields.some((field) => field.kind === kind)
const isOther = ({ name }: Procedure, field: Field) => Object.hasOwn(otherPaths, `${name}.${field.name}`)
const tried: Row['test'] = [
  'main/host/app/implementer.test.ts',
  'malformed inputs of every procedure with a known refusal',
]
const derived: Row['test'] = ['../scripts/doors/doors.test.ts', 'the procedures of the contract: ']

export const procedureGuards: readonly ProcedureGuard[] = [
  {
    guard: 'a session: a token, or the window’s own frame',
    isAbout: () => true,
    // No other way leads there: the sockets and ports are doors themselves.
    holds: () => true,
    test: ['main/web/socket.test.ts', 'lets a person in, however many sockets say nothing'],
    mutation: ['main/web/socket.ts', 'unknown.values().next().value?.terminate()', 'webSocket.terminate()'],
  },
  {
    guard: 'a project that is open',
    isAbout: has('project'),
    holds: has('project'),
    test: tried,
    mutation: [
      'main/host/project/projects.ts',
      "throw new WireError('NOT_FOUND', 'This project is not open any more. Open its folder again.')",
      "throw new Error('not open')",
    ],
  },
  {
    guard: 'a thread or branch of that project',
    isAbout: has('thread or branch'),
    holds: has('project'),
    test: tried,
    mutation: [
      'main/host/changes/file-handlers.ts',
      'branchId === null ? emptyTree : unwrap(findHead(services, branchId))',
      '(branchId === null ? undefined : services.log.trees.heads.get(branchId)) ?? emptyTree',
    ],
  },
  {
    guard: 'paths inside the project, in canonical form',
    isAbout: (procedure) => procedure.fields.some((field) => isPath(field) && !isOther(procedure, field)),
    holds: (procedure) =>
      procedure.fields.every(
        (field) => !isPath(field) || field.kind === 'path of a project' || isOther(procedure, field),
      ),
    test: derived,
    mutation: [
      'shared/contract/contract.ts',
      'diff: oc.input(branch.extend({ path: virtualPath }))',
      'diff: oc.input(branch.extend({ path: z.string().max(99) }))',
    ],
  },
  {
    guard: 'a most for each text and list',
    isAbout: ({ fields }) => fields.some(({ kind }) => kind === 'text' || kind === 'list'),
    holds: ({ fields }) => fields.every(({ isBounded }) => isBounded),
    test: derived,
    mutation: [
      'shared/contract/primitives.ts',
      'export const typedText = z.string().max(2_000_000)',
      'export const typedText = z.string()',
    ],
  },
]

function isPath({ name, kind }: Field): boolean {
  return kind === 'path of a project' || (kind === 'text' && /(?:^|\.)(?:paths?|folder|file)$/i.test(name))
}

export const ofProcedures: readonly Row[] = procedureGuards.map(({ isAbout, guard, test, mutation }) => ({
  ...{ kind: 'procedures', guard, test, mutation },
  doors: procedures.filter(isAbout).map(({ name }) => name),
}))
