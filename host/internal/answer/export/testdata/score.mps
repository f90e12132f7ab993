* score.mps
* an optimum below 0, or none: no score gap exceeds epsilon; above: a candidate, to be replayed, and cut off by another tangent if it fails
* hours_per_week is "hours per week"
* age_1 is "age#1"
* n1.1_1 is "n1.1#1"
* n1.1_1_active is "n1.1#1 active"
* n1.2_1 is "n1.2#1"
* n1.2_1_active is "n1.2#1 active"
* logit_1 is "logit#1"
* age_2 is "age#2"
* n1.1_2 is "n1.1#2"
* n1.1_2_active is "n1.1#2 active"
* n1.2_2 is "n1.2#2"
* n1.2_2_active is "n1.2#2 active"
* logit_2 is "logit#2"
NAME bigm
OBJSENSE
    MAX
ROWS
 N obj
 L n1.1_1_above
 G n1.1_1_below
 L n1.1_1_off
 L n1.2_1_above
 G n1.2_1_below
 L n1.2_1_off
 E logit_1
 L n1.1_2_above
 G n1.1_2_below
 L n1.1_2_off
 L n1.2_2_above
 G n1.2_2_below
 L n1.2_2_off
 E logit_2
 G logits_apart
 L tangent
 L tangent_2
 L tangent_3
 L tangent_4
 L tangent_5
 L tangent_6
 L tangent_7
 L tangent_8
COLUMNS
    M1 'MARKER' 'INTORG'
    hours_per_week n1.1_1_above 1
    hours_per_week n1.1_1_below 1
    hours_per_week n1.2_1_above 0.5
    hours_per_week n1.2_1_below 0.5
    hours_per_week n1.1_2_above 1
    hours_per_week n1.1_2_below 1
    hours_per_week n1.2_2_above 0.5
    hours_per_week n1.2_2_below 0.5
    age_1 n1.1_1_above -2
    age_1 n1.1_1_below -2
    age_1 n1.2_1_above 0.25
    age_1 n1.2_1_below 0.25
    M2 'MARKER' 'INTEND'
    n1.1_1 n1.1_1_above -1
    n1.1_1 n1.1_1_below -1
    n1.1_1 n1.1_1_off 1
    n1.1_1 logit_1 1.5
    M3 'MARKER' 'INTORG'
    n1.1_1_active n1.1_1_below -3.500000000000005
    n1.1_1_active n1.1_1_off -3.5000000000000067
    M4 'MARKER' 'INTEND'
    n1.2_1 n1.2_1_above -1
    n1.2_1 n1.2_1_below -1
    n1.2_1 n1.2_1_off 1
    n1.2_1 logit_1 -0.75
    M5 'MARKER' 'INTORG'
    n1.2_1_active n1.2_1_below -1.124990000000002
    n1.2_1_active n1.2_1_off -1.6250100000000025
    M6 'MARKER' 'INTEND'
    logit_1 logit_1 -1
    logit_1 logits_apart 1
    logit_1 tangent -1
    logit_1 tangent_2 -1
    logit_1 tangent_3 -0.9866538676094366
    logit_1 tangent_4 -0.9257698237081764
    logit_1 tangent_5 -0.8423074947225185
    logit_1 tangent_6 -0.7090470126905132
    logit_1 tangent_7 -0.48252765983036633
    logit_1 tangent_8 -0.08887386915737168
    M7 'MARKER' 'INTORG'
    age_2 n1.1_2_above -2
    age_2 n1.1_2_below -2
    age_2 n1.2_2_above 0.25
    age_2 n1.2_2_below 0.25
    M8 'MARKER' 'INTEND'
    n1.1_2 n1.1_2_above -1
    n1.1_2 n1.1_2_below -1
    n1.1_2 n1.1_2_off 1
    n1.1_2 logit_2 1.5
    M9 'MARKER' 'INTORG'
    n1.1_2_active n1.1_2_below -3.500000000000005
    n1.1_2_active n1.1_2_off -3.5000000000000067
    M10 'MARKER' 'INTEND'
    n1.2_2 n1.2_2_above -1
    n1.2_2 n1.2_2_below -1
    n1.2_2 n1.2_2_off 1
    n1.2_2 logit_2 -0.75
    M11 'MARKER' 'INTORG'
    n1.2_2_active n1.2_2_below -1.124990000000002
    n1.2_2_active n1.2_2_off -1.6250100000000025
    M12 'MARKER' 'INTEND'
    logit_2 logit_2 -1
    logit_2 logits_apart -1
    logit_2 tangent 0.8934756323569085
    logit_2 tangent_2 0.9571063619653674
    logit_2 tangent_3 1
    logit_2 tangent_4 1
    logit_2 tangent_5 1
    logit_2 tangent_6 1
    logit_2 tangent_7 1
    logit_2 tangent_8 1
    slack obj 1
    slack tangent 1
    slack tangent_2 1
    slack tangent_3 1
    slack tangent_4 1
    slack tangent_5 1
    slack tangent_6 1
    slack tangent_7 1
    slack tangent_8 1
RHS
    rhs n1.1_1_above -0.5
    rhs n1.1_1_below -4.000000000000005
    rhs n1.2_1_above 0.12499
    rhs n1.2_1_below -1.000000000000002
    rhs logit_1 -0.125
    rhs n1.1_2_above -0.5
    rhs n1.1_2_below -4.000000000000005
    rhs n1.2_2_above 0.12499
    rhs n1.2_2_below -1.000000000000002
    rhs logit_2 -0.125
    rhs logits_apart -3.1875000000000115
    rhs tangent -0.13428394540883568
    rhs tangent_2 -0.18661448908036923
    rhs tangent_3 -0.1979359410357012
    rhs tangent_4 -0.16533156012636832
    rhs tangent_5 -0.06866813288200016
    rhs tangent_6 0.17668877003751138
    rhs tangent_7 0.7805073392847766
    rhs tangent_8 2.3736917688858674
RANGES
    rng logits_apart 6.375000000000023
BOUNDS
 LO bnd hours_per_week -2
 UP bnd hours_per_week 3
 LO bnd age_1 0
 UP bnd age_1 1
 LO bnd n1.1_1 0
 UP bnd n1.1_1 3.5000000000000067
 LO bnd n1.1_1_active 0
 UP bnd n1.1_1_active 1
 LO bnd n1.2_1 0
 UP bnd n1.2_1 1.6250100000000025
 LO bnd n1.2_1_active 0
 UP bnd n1.2_1_active 1
 LO bnd logit_1 -0.8429617275715346
 UP bnd logit_1 5.375000000000018
 LO bnd age_2 0
 UP bnd age_2 1
 LO bnd n1.1_2 0
 UP bnd n1.1_2 3.5000000000000067
 LO bnd n1.1_2_active 0
 UP bnd n1.1_2_active 1
 LO bnd n1.2_2 0
 UP bnd n1.2_2 1.6250100000000025
 LO bnd n1.2_2_active 0
 UP bnd n1.2_2_active 1
 LO bnd logit_2 -1.093757500000004
 UP bnd logit_2 2.8513888151290447
 FR bnd slack
ENDATA
