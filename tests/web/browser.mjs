// Starts the browser of the checks.
import chromium from "@sparticuz/chromium";
import { chromium as browsers } from "playwright-core";

// One process and a web without security, as the package's own arguments say, would hide what is tested here.
const unwanted = /single-process|disable-web-security|no-zygote|allow-running-insecure/;
export const browser = await browsers.launch({
  executablePath: await chromium.executablePath(),
  args: chromium.args.filter((argument) => !unwanted.test(argument)),
  headless: true,
});
