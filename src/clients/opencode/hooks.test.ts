import { testHookClient } from "../hook-client-contract.ts"
import { testPluginFixture } from "../test-plugin.ts"
import { opencode } from "./hooks.ts"

testHookClient(opencode, testPluginFixture("filePath"))
