/* Steps of files that fail where a test says so; see pcf_file_provoke_at(). */
#ifndef PCF_PROVOCATION_H
#define PCF_PROVOCATION_H

/* Counts a step: is it the one? */
int pcf_file_is_provoked(void);

/* Ends the process in that step, where this was asked for. If it comes back, the step has to
 * fail as on a full disk. */
void pcf_file_end_provoked(void);

#endif
