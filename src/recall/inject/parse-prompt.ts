// Extracts the words, code names, paths and issue numbers of a prompt, to search memory for them.
import { prepareQuery } from "../../core/query.ts";
import { partsOf, wordsOf } from "../../core/words.ts";
import { issuesOf } from "./named-issues.ts";
import { asksAboutPast } from "./past-question.ts";

export type PromptQuery = NonNullable<ReturnType<typeof parsePrompt>>;

/** A prompt of two words is a reply. */
const MIN_WORDS = 3;
const HEAD_CHARS = 4_000;

/** Undefined for commands ("/help"), replies ("ok") and other prompts without a subject. */
export function parsePrompt(text: string) {
  const whole = text.slice(0, HEAD_CHARS);
  // Words in URLs rarely name the subject.
  const head = whole.replace(/\bhttps?:\/\/\S+/gi, " ").replace(HOME_PATH, (path) => path.split(/[\\/]/).at(-1) ?? "");
  if (/^\s*[/!#]/.test(head) && !/^\s*#\s/.test(head)) return undefined;
  const issues = issuesOf(whole).slice(0, MAX_ISSUES);
  // Asked only if needed: compiling the patterns takes milliseconds.
  let past: boolean | undefined;
  const isAboutPast = (): boolean => (past ??= asksAboutPast(head));
  if (HOUSEKEEPING.test(head) && head.length < MAX_ORDER_CHARS && issues.length === 0 && !isAboutPast())
    return undefined;
  const { words: all, paths } = prepareQuery(head);
  const codeNames = namesOf(head);
  /** Names in code, in lower case: "parseline", "max_age", "utf8". */
  const names = new Set(codeNames.map((name) => name.toLowerCase()));
  const parts = new Set(codeNames.flatMap((name) => wordsOf(name).flatMap((word) => [word, ...partsOf(word)])));
  const partWords = new Set([...parts].map((part) => part.toLowerCase()));
  /** Informative words in the order they occur, after the names. */
  const words = [
    ...names,
    ...all.filter(
      (word) => word.length > 2 && !COMMON.has(word) && !/^\d+$/.test(word) && !names.has(word) && !partWords.has(word),
    ),
  ];
  if (words.length < MIN_WORDS && paths.length === 0 && names.size === 0 && issues.length === 0 && !isAboutPast())
    return undefined;
  return {
    words,
    names,
    paths,
    issues,
    get isAboutPast() {
      return isAboutPast();
    },
    get isQuestion() {
      return QUESTION.test(head.slice(0, QUESTION_CHARS));
    },
  };
}

/** Of a path below a home folder only the last part names the subject. */
const HOME_PATH = /(?:\/(?:Users|home)\/|\b[A-Za-z]:\\Users\\)[\w.@-]+(?:[\\/][\w.@-]+)*/g;

/** Orders such as "commit and push", which are about no subject. */
const HOUSEKEEPING =
  /\b(?:back to (?:main|master)|(?:switch|checkout|check out) (?:to )?(?:main|master|the|a|branch)|pull (?:in )?(?:the )?latest|(?:push|commit|merge) (?:it|this|that|them|these|all|the (?:changes|branch|pr)|everything|to|up|and|your)|(?:update|bump) (?:the )?(?:changelog|version)|delete (?:stale |old |the )?branch)/i;
const MAX_ORDER_CHARS = 200;

const QUESTION =
  /^[^.!\n]{0,60}\b(?:how|what|where|why|which|who|when|investigate|explain|find out)\b|^(?!.{0,20}\b(?:can|could|would|will) you\b)[^.!\n]*\?/i;
const QUESTION_CHARS = 300;

const NAME = /[A-Za-z_$][\w$]*(?:[.:]{1,2}[\w$]+)*/g;
const MIN_NAME_CHARS = 5;
const MAX_NAME_CHARS = 80;
const MAX_NAMES = 20;

/** Words that are written like names in code: `parseLine`, max_age, utf8, trace.v1, and words between backticks. */
function namesOf(text: string): string[] {
  const written = (text.match(NAME) ?? []).filter(
    (name) => /[a-z][A-Z]|[A-Za-z]\d|[a-zA-Z]_[a-zA-Z]|[A-Z]{5}|\w{3}[.:]{1,2}\w/.test(name) && !/^[a-z]+:$/.test(name),
  );
  const marked = [...text.matchAll(/`([\w$@./:-]{3,80})`/g)].map((match) => match[1] ?? "");
  const names = [...marked, ...written].filter(
    (name) => name.length >= MIN_NAME_CHARS && name.length <= MAX_NAME_CHARS && /[A-Za-z]/.test(name),
  );
  return [...new Set(names)].slice(0, MAX_NAMES);
}

const MAX_ISSUES = 3;

/** Words that many prompts to coding agents contain, whatever their subject. */
const COMMON = new Set(
  (
    "across multiple per via unless whereas against among along behind beyond during except outside toward upon versus apart instead soon sometimes average aggregate simply whichever wherever directly fully properly correctly exactly originally eventually finally meanwhile basically apparently hopefully ideally normally typically mostly partly mainly already another assumption aligned align anyone achieve able actually add added adding ago agree agreed almost also always anything anyway app application apply approach around ask asked available aware away bad based " +
    "basic basically became become behavior believe best better between big bit both bug build builds button call called came case cases certain change changed changes " +
    "check clean clear clearly click code come coming command commands commit complete component components config configuration consider content context correct couple " +
    "create created creating current currently data day days default define definitely delete description design details did didn different display displayed doc docs " +
    "document documentation does doesn doing don done dont each early easy edit either else end enough ensure entry error errors especially even ever every everything " +
    "exactly example existing expected explain fail failed failing fails feature feel felt few field figure file files find fine first fix fixed fixes folder following " +
    "forget forgot format found fully function functions further future general generally get give given goal going gone gonna good guess handle happen happened happens " +
    "hard having hear help here hey hmm hold home hope idea ideas implement implementation implemented improve include included info information input inside interesting " +
    "isn issue issues item items itself jsut keep kind knew know large last late lately later least left less lets level like likely line lines link list little load " +
    "local log logic long longer look looks lot lots made main make makes making manage many matter maybe mean means meant mention mentioned might mind minute minutes " +
    "mode modify moment more move much must name near nearly need needed needs never new next nice none note nothing now number object obviously off often okay old once " +
    "one onto open option options order others otherwise ours output own page part pass past path perhaps phase place plan point points possible possibly prefer present " +
    "pretty previous previously print probably problem process production project proper properly provide pull push question quick quickly quite rather read ready really " +
    "reason recent recently refactor regarding related release remember remind remove removed rename replace repo repository request required requirement requirements " +
    "result results return returns review right root rule rules run running runs same save saw say saying says script second section see seem seemed seems seen select " +
    "send sense separate server service set setting settings setup several show showing shown shows side simple simply since single size small something sort sounds " +
    "source specific spent src start started state status step steps still stop string structure stuff style such suggest suggested support supported sure surely system " +
    "table take taken takes talk task tell test tested testing tests text thank thanks thats theirs therefore thing things think thinking thought thoughts three through " +
    "time title together told took tool tools top totally toward tried try trying turn two type types under understand until update updated updates user users using " +
    "usually valid value values various verify version view wanna want wanted wants wasn way weird well went weren what whatever whats whether while whole wish within " +
    "without won wonder wondering work working works worth would wouldn write written wrong yeah year yep yes yesterday yet"
  ).split(" "),
);
