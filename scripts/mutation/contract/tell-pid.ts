// Tells the runner which process to end if a fault makes it run for ever.
import { writeFileSync } from 'node:fs';

const file = process.env['MUTANT_PID'];
if (file !== undefined) writeFileSync(file, `${process.pid}`);
