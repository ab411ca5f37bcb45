import { installPackage } from "../install-package.ts"
import { findChromium } from "./find-chromium.ts"

// Before the tests: those of the browser app need a Chromium; nothing else fails without it.
if (!findChromium()) installPackage("chromium-headless-shell", "for the tests of the browser app")
if (!findChromium())
  console.log("Chromium not found: the browser app will not be tested. Install it, or set DREY_CHROMIUM to its path.")
