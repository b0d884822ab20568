# What .ci/run and .ci/full share: counted steps, counted tests, the last line. Source it at the root of the repository.

export CI=true NO_UPDATE_NOTIFIER=1 npm_config_fund=false npm_config_audit=false
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
passed=0
failed=0
# Once the packages are built: what keeps npm from building them again before each script.
built=

# step NAME COMMAND...: one check that passes or fails as a whole.
step() {
  local name=$1
  shift
  printf '\n=== %s\n' "$name"
  local start=$SECONDS
  if "$@"; then
    passed=$((passed + 1))
    printf -- '--- %s: ok (%s s)\n' "$name" $((SECONDS - start))
  else
    failed=$((failed + 1))
    printf -- '--- %s: FAILED (%s s)\n' "$name" $((SECONDS - start))
    return 1
  fi
}

# run_tests SCRIPT REPORT ARGUMENTS...: runs a Jest script; prints "PASSED FAILED FILES" of its report, FILES being those with a failure.
run_tests() {
  local script=$1 report=$2 status=0
  shift 2
  npm run --silent ${built:-} "$script" -- --json --outputFile="$report" "$@" >&2 || status=$?
  node -e '
    const { numPassedTests, numFailedTests, numFailedTestSuites, numRuntimeErrorTestSuites, testResults } =
      JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
    for (const { assertionResults } of testResults)
      for (const { status, fullName } of assertionResults)
        if (status === "failed") console.error(`    failed: ${fullName}`);
    let failed = numFailedTests + numRuntimeErrorTestSuites;
    // A runner that fails without a failed test (a crash, a leak) has failed all the same.
    if (failed === 0 && (process.argv[2] !== "0" || numPassedTests === 0)) failed = 1;
    console.log(numPassedTests, failed, numFailedTestSuites);
  ' "$report" "$status" || echo 0 1 0
}

# tests NAME SCRIPT: a Jest run through its npm script, each of its tests counted. If one file alone failed, it runs once more:
# a test that passes only then is named here as one to be mended, and is no reason to refuse the rest. Two files are.
tests() {
  local name=$1 script=$2
  printf '\n=== %s\n' "$name"
  local start=$SECONDS ok bad files
  read -r ok bad files < <(run_tests "$script" "$reports/$script.json" | tail -n 1)
  if [ "$bad" -gt 0 ] && [ "$files" -eq 1 ]; then
    printf -- '--- %s: %s failed in one file, which runs once more\n' "$name" "$bad"
    local again
    read -r _ again _ < <(run_tests "$script" "$reports/$script.again.json" --onlyFailures --maxWorkers=1 | tail -n 1)
    if [ "$again" -eq 0 ]; then
      printf -- '--- UNSTABLE: %s of %s passed only at the second try (named above)\n' "$bad" "$name"
      ok=$((ok + bad)) bad=0
    fi
  fi
  passed=$((passed + ok))
  failed=$((failed + bad))
  printf -- '--- %s: %s passed, %s failed (%s s)\n' "$name" "$ok" "$bad" $((SECONDS - start))
}

finish() {
  printf '\n%s passed, %s failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
  exit
}

# from_debian COMMAND PACKAGE...: whether the command is there, installed from Debian's archive if need be.
from_debian() {
  local command=$1
  shift
  compgen -G "$command" >/dev/null && return 0
  command -v apt-get >/dev/null || return 1
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}
