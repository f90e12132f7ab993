* c_d is "c d"
NAME sets
ROWS
 N obj
 G r
COLUMNS
    a r 1
    M1 'MARKER' 'INTORG'
    b r 0.1
    M2 'MARKER' 'INTEND'
    c_d obj 0
RHS
    rhs obj -4
    rhs r -1
RANGES
    rng r 3.5
BOUNDS
 LO bnd a 0
 UP bnd a 1
 LO bnd b -1
 UP bnd b 1
 LO bnd c_d 0
 UP bnd c_d 3
SOS
 S1 one_of
    a 1
    c_d 2
 S1 other
    b 1
    c_d 2
ENDATA
