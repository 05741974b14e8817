import { commitUnits } from '#shared/model/delivery.ts'
import { hookFlags, jsonFlag, pathFlag, pathsFlag } from './flags.ts'
import { branchWord, choiceFlag, flagOf, listFlag, textFlag, threadWord, type VerbWords } from './words.ts'

const branchHelp = 'A branch is named by its handle (subagent_0), its name or its id.'
const openElsewhere = 'Where a window or another run has the project open, that process does it, at this terminal.'
const exits = { 0: 'done', 1: 'failed', 2: 'wrong usage' }
const decisionExits = { ...exits, 3: 'something waits for a decision of yours, such as a conflict' }

/** Verbs that look at what a thread made, and decide about it. */
export const branchVerbs = [
  {
    name: 'branches',
    summary: "list a thread's branches",
    about: ['Lists the branches of a thread with their state, size and conflicts.', openElsewhere],
    positionals: [threadWord],
    required: 1,
    flags: [jsonFlag],
    examples: [{ line: 'coppice branches last', about: 'the branches of the latest thread' }],
    exits,
  },
  {
    name: 'diff',
    summary: 'show what a thread or a branch changed',
    about: [
      "Shows the changes of a thread's workspace against the folder, or those of a branch against where it was forked, as a git patch.",
      branchHelp,
    ],
    positionals: [threadWord, branchWord],
    required: 1,
    flags: [
      flagOf('stat', 'only the files and how many lines'),
      flagOf('no-pager', 'never start a pager'),
      pathsFlag,
      jsonFlag,
    ],
    examples: [
      { line: 'coppice diff last', about: 'everything that would be applied' },
      { line: 'coppice diff last subagent_0 --stat', about: 'the size of a branch' },
      { line: 'coppice diff last | git apply --check', about: 'give the patch to git' },
    ],
    exits,
  },
  {
    name: 'blame',
    summary: 'say who wrote each line of a file, in which call',
    about: [
      'Shows a file as the thread has it, each line with the agent, the branch and the call that wrote it first, and what you decided about that call. Merges, renames and rewinds hand lines on. Lines without a word were in the folder.',
      branchHelp,
    ],
    positionals: [threadWord, { placeholder: 'PATH', kind: 'text' }],
    required: 2,
    flags: [textFlag('branch', 'BRANCH', 'the file of this branch; default: the workspace'), jsonFlag],
    examples: [
      { line: 'coppice blame last src/index.ts', about: 'who wrote what of a file' },
      { line: 'coppice blame last src/index.ts --branch subagent_0', about: 'as a branch has it' },
    ],
    exits,
  },
  {
    name: 'bisect',
    summary: 'find the step that broke a check',
    about: [
      'Finds the step after which a check is red, of a thread or of one of its branches: the agent, the call, the files and what it changed in them. Halves the steps, those of merged branches included, and runs the check on the files as they were then. What a check said of equal files is not run again, so a search that was stopped goes on where it was.',
      'A check that contradicts itself is asked several times, and the answer is “cannot tell” rather than a wrong step.',
      `${branchHelp} "workspace" is the branch of the thread itself.`,
    ],
    positionals: [threadWord, branchWord],
    required: 1,
    flags: [
      textFlag('check', 'NAME', 'the check that is red; may be left out when there is only one'),
      flagOf('flaky', 'ask about each step several times, for a check that may fail by chance'),
      textFlag('jobs', 'N', 'check N steps at once: more runs, less time (default 1)'),
      flagOf('undo', 'take the change of the step that is found off the branch'),
      jsonFlag,
    ],
    examples: [
      { line: 'coppice bisect last --check test', about: 'which step broke the tests' },
      { line: 'coppice bisect last subagent_0 --check test --undo', about: 'on a branch, and take the step back' },
    ],
    exits: { 0: 'found, or the check is green', 1: 'it cannot be told', 2: 'wrong usage', 130: 'stopped' },
  },
  {
    name: 'merge',
    summary: 'merge branches into their parent',
    about: [
      'Merges branches into the branch they were forked from, one after the other. Files that both sides changed are left as they are and named, unless their changes do not overlap or --force takes the branch’s version.',
      branchHelp,
    ],
    positionals: [threadWord, branchWord],
    required: 1,
    isLastRepeated: true,
    flags: [
      {
        name: 'all',
        value: { placeholder: 'WHICH', kind: 'choice', choices: ['clean'] },
        about: 'clean: every branch without a conflict, in order',
      },
      {
        name: 'when',
        value: { placeholder: 'WHEN', kind: 'choice', choices: ['green'] },
        about: 'green: each when the checks pass on the merged files; every open branch if none is named',
      },
      flagOf('force', 'take the branch’s version of files in conflict'),
      pathsFlag,
      jsonFlag,
    ],
    examples: [
      { line: 'coppice merge last subagent_0 subagent_1', about: 'two branches' },
      { line: 'coppice merge last --all clean', about: 'whatever merges without a question' },
      { line: 'coppice merge last --when green', about: 'every open branch that the checks let through' },
      { line: 'coppice merge last subagent_0 --paths /src/a.js --force', about: 'one file, as the branch has it' },
    ],
    exits: { ...decisionExits, 5: 'a check is not green (--when green)', 130: 'stopped' },
  },
  {
    name: 'checks',
    summary: 'say what the checks of a project say of branches',
    about: [
      'Lists the checks of the workspace and of every open branch, or of the branches that are named. With --run it runs those that have no result for the files as they are now. A required check that is red or flaky makes the exit code 5.',
      `${branchHelp} "workspace" is the branch of the thread itself.`,
    ],
    positionals: [threadWord, branchWord],
    required: 1,
    isLastRepeated: true,
    flags: [
      flagOf('run', 'run the checks that have no result yet'),
      flagOf('again', 'run them also where there is a result'),
      listFlag('name', { placeholder: 'CHECK', kind: 'text' }, 'only this check; repeat it for more'),
      jsonFlag,
    ],
    examples: [
      { line: 'coppice checks last', about: 'what is known' },
      { line: 'coppice checks last subagent_0 --run', about: 'run them on a branch' },
    ],
    exits: { ...exits, 5: 'a required check is not green', 130: 'stopped' },
  },
  {
    name: 'discard',
    summary: 'drop branches or some of their files',
    about: [
      'Drops branches. They can be brought back with coppice undo for seven days. With --paths, only these files go back to how they were when the branch was forked.',
      branchHelp,
    ],
    positionals: [threadWord, branchWord],
    required: 2,
    isLastRepeated: true,
    flags: [pathsFlag, jsonFlag],
    examples: [{ line: 'coppice discard last subagent_1', about: 'drop a branch' }],
    exits: decisionExits,
  },
  {
    name: 'undo',
    summary: 'undo the last merge, discard, apply, delivery, rewind or change by hand',
    about: [
      'Takes back the last thing that you or an agent did with branches of the thread: a merge, a discard, an apply, a delivery or a rewind. Say it again for the one before.',
    ],
    positionals: [threadWord],
    required: 1,
    flags: [jsonFlag],
    examples: [{ line: 'coppice undo last', about: 'the latest thread' }],
    exits: decisionExits,
  },
  {
    name: 'rewind',
    summary: 'go back to a checkpoint, or list them',
    about: [
      'Takes a thread and its subagents back to a checkpoint. Nothing on disk changes, and coppice undo brings it back. Without a checkpoint it lists them with what each would take back.',
      'It shows what would change and asks first. Without a terminal it needs --yes.',
    ],
    positionals: [threadWord, { placeholder: 'CHECKPOINT', kind: 'checkpoint' }],
    required: 1,
    flags: [
      flagOf('files', 'only the files go back'),
      flagOf('conversation', 'only the conversation goes back'),
      flagOf('yes', 'do not ask', 'y'),
      flagOf('every', 'list every step, not only the main checkpoints'),
      jsonFlag,
    ],
    examples: [
      { line: 'coppice rewind last', about: 'list the checkpoints' },
      { line: 'coppice rewind last 42 --yes', about: 'go back to number 42' },
    ],
    exits: { ...decisionExits, 130: 'stopped at the question' },
  },
  {
    name: 'apply',
    summary: "write a thread's changes to the folder",
    about: [
      "Writes the changes of a thread's workspace to its folder. When a file has changed on disk since, nothing is written and the file is named, until --join, --ours or --theirs decides about it.",
    ],
    positionals: [threadWord],
    required: 1,
    flags: [
      pathsFlag,
      flagOf('join', 'join both changes of a file where they do not overlap'),
      pathFlag('ours', "write the thread's version of this file or folder over the folder's; repeat it for more"),
      pathFlag('theirs', 'leave this file or folder as it is on disk; repeat it for more'),
      flagOf('dry-run', 'say what would be written, and write nothing'),
      jsonFlag,
    ],
    examples: [
      { line: 'coppice apply last --dry-run', about: 'what would be written' },
      { line: 'coppice apply last', about: 'write it' },
      { line: 'coppice apply last --join --ours /src/a.js', about: 'after changes on disk' },
    ],
    exits: decisionExits,
  },
  {
    name: 'deliver',
    summary: "make commits of a thread's changes on a branch of git",
    about: [
      'Makes commits of the changes of a thread and puts them on a branch of your repository: a new one, which begins at the commit where the work began, or one that exists and is not checked out. What is checked out, staged, stashed and in your folder stays as it is. No hook runs, unless --hooks says so.',
      'Files that are in no commit are not delivered with it unless you say so. A repository inside the project, such as a submodule, gets a branch of the same name.',
      'With --push your own git pushes the branch, to the named remote or the usual one; with --pr your own gh or glab opens a pull request as well.',
    ],
    positionals: [threadWord, { placeholder: 'REMOTE', kind: 'text' }],
    required: 1,
    flags: [
      textFlag('to', 'BRANCH', 'the branch of git that gets the commits'),
      choiceFlag(
        'per',
        'UNIT',
        commitUnits,
        'one commit for all (default), or for each todo, agent, merged branch or message',
      ),
      {
        ...listFlag(
          'message',
          { placeholder: 'TEXT', kind: 'text' },
          'what the commit says, or @FILE; repeat it for more commits, in order',
        ),
        isWhole: true,
      },
      {
        ...listFlag(
          'trailer',
          { placeholder: 'TEXT', kind: 'text' },
          'a line at the end of each message, such as "Co-authored-by: Name <address>"; "thread" names the thread',
        ),
        isWhole: true,
      },
      flagOf(
        'propose',
        "let the thread's model, or the one for summaries, write what the commits say; it costs a request",
      ),
      textFlag('base', 'REF', 'the commit to stand on; default: the branch, or where the work began'),
      choiceFlag(
        'uncommitted',
        'WHAT',
        ['include', 'leave'],
        'what of your files is in no commit, where agents changed them too: leave (default) or include',
      ),
      pathFlag('ours', "the thread's version of a file that the branch has changed too; repeat it for more"),
      pathFlag('theirs', "the branch's version of such a file; repeat it for more"),
      choiceFlag('commits', 'WHOSE', ['agent'], 'agent: deliver the commits that agents made themselves, as they are'),
      textFlag('commit', 'ID', 'with --commits agent: which of them, when there are several ends'),
      ...hookFlags(),
      flagOf('sign', 'sign the commits, whatever your settings of git say'),
      flagOf('no-sign', 'sign none'),
      flagOf('require-checks', 'deliver nothing unless every required check is green'),
      flagOf('push', 'push the branch'),
      flagOf('pr', 'push it and open a pull request'),
      flagOf('draft', 'the pull request is a draft'),
      textFlag('pr-base', 'BRANCH', 'the branch that the pull request is to be merged into'),
      textFlag('title', 'TEXT', 'the title of the pull request; default: the first line of the commit'),
      flagOf('dry-run', 'say what would be delivered, and write nothing'),
      jsonFlag,
    ],
    examples: [
      { line: 'coppice deliver last --to fix/login --dry-run', about: 'what would be delivered' },
      { line: 'coppice deliver last --to fix/login', about: 'one commit on a new branch' },
      {
        line: 'coppice deliver last --to fix/login --per todo --pr',
        about: 'a commit for each todo, and a pull request',
      },
      { line: 'coppice deliver last --to fix/login --propose --dry-run', about: 'what a model would write' },
      {
        line: 'coppice deliver last --to fix/login --hooks --hook-changes take',
        about: 'with what a formatter of your hooks changes',
      },
      { line: 'coppice deliver last --to theirs --commits agent', about: 'what agents committed, as it is' },
    ],
    exits: { ...decisionExits, 5: 'a required check is not green (--require-checks)' },
  },
  {
    name: 'logs',
    summary: 'print what the agents of a thread did',
    about: [
      'Prints what each agent of a thread said and did, a line each. It works while a window or a run has the project open. With --follow it goes on until no agent of the thread works any more, or until Ctrl+C.',
    ],
    positionals: [threadWord],
    required: 1,
    flags: [
      flagOf('follow', 'go on with what happens from now on', 'f'),
      listFlag('agent', { placeholder: 'NAME', kind: 'text' }, 'only these agents'),
      flagOf('verbose', 'show arguments, results and times as they are'),
      flagOf('json', 'one entry of the journal per line'),
    ],
    examples: [
      { line: 'coppice logs last --follow', about: 'watch a run that goes on elsewhere' },
      { line: 'coppice logs last | head', about: 'how it began' },
    ],
    exits: { ...exits, 130: 'stopped' },
  },
] as const satisfies readonly VerbWords[]
