import { jsonFlag } from './flags.ts'
import { fileFlag, flagOf, textFlag, threadWord, type VerbWords } from './words.ts'

/** Verbs that make one tree of what several branches made, or find what of a branch is needed. */
export const composeVerbs = [
  {
    name: 'compose',
    summary: 'choose from several branches, file by file and hunk by hunk',
    about: [
      'Puts together what several branches changed, and stores it in the workspace (or in --into) as one entry, which "coppice undo" takes back. Each file and hunk takes what evidence speaks for: the only change of it, the same change of several, or the branch whose checks alone are green. What nothing speaks for must be chosen with --take or --hunk; until then nothing is stored.',
      'A branch is named by its handle (subagent_0), its name or its id, with @ENTRY behind it as it was after that entry of the journal; "workspace" is the branch of the thread itself, and "base" what all of them began with. Binary files, links, renames, changes of permissions and deleted files are taken as a whole.',
    ],
    positionals: [threadWord, { placeholder: 'BRANCH', kind: 'branch' }],
    required: 2,
    isLastRepeated: true,
    flags: [
      textFlag('into', 'BRANCH', 'the branch that gets the result; default: the workspace'),
      {
        name: 'take',
        value: { placeholder: 'PATH=BRANCH', kind: 'text' },
        about: 'take a file from one branch or from the base; repeat it for more',
        isList: true,
        isWhole: true,
      },
      {
        name: 'hunk',
        value: { placeholder: 'PATH:N=BRANCH', kind: 'text' },
        about: 'take a hunk from one branch, from the base, or both where they do not overlap; repeat it for more',
        isList: true,
        isWhole: true,
      },
      flagOf('checks', 'run the checks on the composed files first; store nothing unless every required one is green'),
      fileFlag(
        'patch',
        'write the git patch of what was chosen, each hunk with the branch it is from; - for standard output',
      ),
      flagOf('dry-run', 'show the files and hunks with what would be chosen, and store nothing'),
      jsonFlag,
    ],
    examples: [
      {
        line: 'coppice compose last subagent_0 subagent_1 --dry-run',
        about: 'what they changed, and what is proposed',
      },
      {
        line: 'coppice compose last subagent_0 subagent_1 --take src/a.ts=subagent_1 --hunk src/b.ts:2=both',
        about: 'decide what is undecided',
      },
      { line: 'coppice compose last subagent_0@120 workspace --checks', about: 'with a past state, checked before' },
    ],
    exits: {
      ...{ 0: 'done', 1: 'failed', 2: 'wrong usage' },
      3: 'something must be chosen; nothing was stored',
      5: 'a required check is not green (--checks); nothing was stored',
    },
  },
  {
    name: 'needed',
    summary: 'find the hunks of a branch that a check needs',
    about: [
      'Finds the smallest part of what a branch (default: the workspace) changed with which a check stays green: taking any one of these hunks away makes it red. It runs the check on many trees, in views, and changes nothing without --remove. Each result is kept, so a search that was stopped goes on where it was.',
    ],
    positionals: [threadWord, { placeholder: 'BRANCH', kind: 'branch' }],
    required: 1,
    flags: [
      textFlag('check', 'NAME', 'the check that must stay green'),
      flagOf('remove', 'take off the branch what is not needed; "coppice undo" brings it back'),
      jsonFlag,
    ],
    examples: [
      { line: 'coppice needed last subagent_0 --check test', about: 'what of a branch the tests need' },
      { line: 'coppice needed last --check test --remove', about: 'take the rest off the workspace' },
    ],
    exits: { 0: 'done', 1: 'failed', 2: 'wrong usage', 130: 'stopped' },
  },
] as const satisfies readonly VerbWords[]
